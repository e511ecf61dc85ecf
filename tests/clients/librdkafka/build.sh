#!/bin/sh
# Builds librdkafka's own test-runner into the folder $1, from the source that the crate
# rdkafka-sys carries: the lock file of ../rust says which. Never touches that source itself.
set -eu

out=$1
crate='rdkafka-sys-4.10.0+2.12.1'
manifest=$(cargo metadata --locked --format-version 1 --manifest-path ../rust/Cargo.toml \
	| grep -o "\"manifest_path\":\"[^\"]*/$crate/Cargo.toml\"" | head -n 1 | cut -d '"' -f 4)
cp -R "$(dirname "$manifest")/librdkafka/." "$out"
cd "$out"
./configure --disable-ssl --disable-gssapi --disable-curl --disable-zstd --disable-zlib \
	--disable-lz4-ext --disable-optimization
make -j 2 libs
make -j 2 -C tests build
