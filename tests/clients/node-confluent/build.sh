#!/bin/sh
# Builds @confluentinc/kafka-javascript in the current folder, with the librdkafka whose source is
# in the package: what it would download is built for one machine in three, and pinned nowhere.
set -eu

npm ci --ignore-scripts --no-audit --no-fund
package=$PWD/node_modules/@confluentinc/kafka-javascript
lib=$package/deps/librdkafka
cd "$lib"
./configure --disable-ssl --disable-gssapi --disable-curl --disable-zstd --disable-zlib \
	--disable-lz4-ext
make -j 2 libs
cd "$package"
BUILD_LIBRDKAFKA=0 CXXFLAGS="-I$lib/src -I$lib/src-cpp" \
	LDFLAGS="-L$lib/src -L$lib/src-cpp -Wl,-rpath,$lib/src -Wl,-rpath,$lib/src-cpp" \
	node "$(npm root -g)/npm/node_modules/node-gyp/bin/node-gyp.js" rebuild \
	--nodedir="$(dirname "$(dirname "$(command -v node)")")"
