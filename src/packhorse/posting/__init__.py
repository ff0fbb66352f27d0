"""JSON over HTTP, posted to endpoints that a user names: one room for all who ask one."""
