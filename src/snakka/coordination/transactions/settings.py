"""What the broker's options say of transactions, read once for each change of an option."""

from dataclasses import dataclass

from snakka.options.option_set import OptionSet


@dataclass(frozen=True, slots=True)
class TransactionSettings:
    """Every option of transactions that a decision looks at; the names are the options' names."""

    transactional_id_expiration_ms: int = 604_800_000

    @classmethod
    def from_options(cls, options: OptionSet) -> "TransactionSettings":
        return cls(transactional_id_expiration_ms=options.integer("transactional.id.expiration.ms"))
