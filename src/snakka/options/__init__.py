"""Options: one declaration each, from which parsing, validation, DescribeConfigs, docs and --help derive."""
