# CTest reads this: what takes longest begins first, so that no processor waits for it in the end.
set_tests_properties(
  Mutation.ASampleOfAllMistakesIsFoundAndRightOperatorsRaiseNoAlarm
  NoFalseAlarm.IsRaisedIn16Bits
  Calibration.ASampleOfTheCorpusHasNoWrongVerdicts
  PROPERTIES COST 100)
foreach(seed RANGE 1001 1008)
  set_tests_properties(NoFalseAlarm/EverySeed.RaisesNoAlarmOnAnyOperator/${seed} PROPERTIES COST 50)
endforeach()
