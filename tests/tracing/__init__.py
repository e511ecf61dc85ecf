"""Traces, as a receiver of OpenTelemetry's protocol gets them."""
