"""The token ledger: charging a request and certifying the finished one."""
