"""What people and programs see, and what they ask for: it reads rows, and requests
operations. Nothing of ``groups`` and ``protocol`` imports it."""
