"""What Rollcall brings along: known vulnerabilities of it (``make audit``), and a bill of it
(``make sbom``)."""
