"""OpenTelemetry traces, where somebody wants them (docs/tracing.md).

Only ``spans`` and ``provider`` import OpenTelemetry, and only where ``provider.start`` found that
traces are wanted: it is an extra, and whoever has no use for it pays nothing.
"""
