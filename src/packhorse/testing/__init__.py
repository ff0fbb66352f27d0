"""Contract suites: what every implementation of a protocol must do. Run them on your own."""
