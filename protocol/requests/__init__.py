"""What every request has: its client, what that may do, its API, its replies and refusals."""
