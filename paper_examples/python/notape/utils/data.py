"""Data sets, samplers and the loader of batches; one process, in the caller's thread."""
import math

from ..tensors import Tensor, randperm, stack, tensor


class Dataset:
    def __getitem__(self, index):
        raise NotImplementedError(f"{type(self).__name__} has no __getitem__")

    def __add__(self, other):
        return ConcatDataset([self, other])


class TensorDataset(Dataset):
    """The i-th row of each tensor."""

    def __init__(self, *tensors):
        if len({one.shape[0] for one in tensors}) != 1:
            raise ValueError(f"TensorDataset: tensors of {[one.shape[0] for one in tensors]} rows, they have to be as long as each other")
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(one[index] for one in self.tensors)

    def __len__(self):
        return self.tensors[0].shape[0]


class Subset(Dataset):
    def __init__(self, dataset, indices):
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index):
        return self.dataset[self.indices[index]]

    def __len__(self):
        return len(self.indices)


class ConcatDataset(Dataset):
    def __init__(self, datasets):
        self.datasets = list(datasets)

    def __getitem__(self, index):
        if not -len(self) <= index < len(self):
            raise IndexError(f"{index} of {len(self)} samples")
        index %= len(self)
        for one in self.datasets:
            if index < len(one):
                return one[index]
            index -= len(one)

    def __len__(self):
        return sum(map(len, self.datasets))


def random_split(dataset, lengths, generator=None):
    """Parts of these lengths, or shares whose sum is 1."""
    if sum(lengths) <= 1 and any(isinstance(one, float) for one in lengths):
        counts = [math.floor(one * len(dataset)) for one in lengths]
        for i in range(len(dataset) - sum(counts)):
            counts[i % len(counts)] += 1
        lengths = counts
    if sum(lengths) != len(dataset):
        raise ValueError(f"random_split: {lengths} are {sum(lengths)} samples, and there are {len(dataset)}")
    order, parts = _order(len(dataset), generator), []
    for length in lengths:
        parts.append(Subset(dataset, order[:length]))
        order = order[length:]
    return parts


def _order(count, generator):
    return randperm(count, **({} if generator is None else {"generator": generator})).tolist()


class SequentialSampler:
    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


class RandomSampler(SequentialSampler):
    def __init__(self, data_source, generator=None):
        super().__init__(data_source)
        self.generator = generator

    def __iter__(self):
        return iter(_order(len(self.data_source), self.generator))


def default_collate(batch):
    """Samples -> one: tensors and numbers are stacked; of tuples and dictionaries each part is."""
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(batch)
    if isinstance(first, dict):
        return {key: default_collate([one[key] for one in batch]) for key in first}
    if isinstance(first, (tuple, list)):
        return [default_collate(list(part)) for part in zip(*batch)]
    if isinstance(first, (str, bytes)):
        return batch
    return tensor(batch) if isinstance(first, (int, float)) else stack([tensor(one) for one in batch])


class DataLoader:
    def __init__(self, dataset, batch_size=1, shuffle=False, sampler=None, *, collate_fn=default_collate, drop_last=False, generator=None,
                 num_workers=0):
        if num_workers:
            raise ValueError("DataLoader: num_workers is 0 here: batches are made in the caller's thread")
        if shuffle and sampler is not None:
            raise ValueError("DataLoader: a sampler says the order, so shuffle=True has no meaning")
        if batch_size < 1:
            raise ValueError(f"DataLoader: batch_size={batch_size} is below 1")
        self.dataset, self.batch_size, self.drop_last, self.collate_fn = dataset, batch_size, drop_last, collate_fn
        self.sampler = sampler or (RandomSampler(dataset, generator) if shuffle else SequentialSampler(dataset))

    def __iter__(self):
        batch = []
        for index in self.sampler:
            batch.append(self.dataset[index])
            if len(batch) == self.batch_size:
                yield self.collate_fn(batch)
                batch = []
        if batch and not self.drop_last:
            yield self.collate_fn(batch)

    def __len__(self):
        count = len(self.sampler)
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)
