"""The modules of the tensor interface (`math`, `nn`, `linalg`, `random`, `config`, ...), each a list of names."""
