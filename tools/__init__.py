"""What developers run and users never see: nothing in `snakka` imports from here."""
