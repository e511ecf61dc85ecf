"""Runs many lives of a cluster, each from one seed: the product's own coordinator, committers and
slot keeper on modelled event loops, clocks, network and rows. No socket, no thread, no real
time."""
