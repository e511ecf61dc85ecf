"""What a change would make of a group, by the rules of its kind. Pure: values in, values out."""
