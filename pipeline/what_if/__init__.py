"""What would have been: the rules, driven by recorded lives under other settings.

``replay`` and what it needs are pure, and replay one group in any process; ``answers`` asks the
question of one group, ``step`` of all of them on Spark's executors (docs/what-if.md).
"""
