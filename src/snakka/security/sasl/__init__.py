"""SASL's mechanisms as pure exchanges: bytes of the other side in, our bytes out."""
