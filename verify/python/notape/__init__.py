"""notape: gradients that are checked. `import notape.verify`."""
__version__ = "0.1.0"
