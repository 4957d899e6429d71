# syntax=docker/dockerfile:1
# The operator's image: one bundle on distroless Node 24, no shell, no package manager, no native module.
#   npm run image -- <registry>     in a checkout, and in the folder of the npm package
ARG BUILD_IMAGE=node:24-bookworm-slim
ARG RUNTIME_IMAGE=gcr.io/distroless/nodejs24-debian12:nonroot

# The bundle is plain JavaScript, so it is built once on the builder's own platform, whatever the targets are. The npm package brings it
# along, without the lock file and the sources.
FROM --platform=$BUILDPLATFORM ${BUILD_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.jso[n] .npmr[c] ./
RUN [ ! -f package-lock.json ] || npm ci --ignore-scripts
COPY . .
RUN { [ -f lib/bundle/operator.js ] || npm run bundle; } \
 && printf '#!/nodejs/bin/node\nrequire("/app/ipam.js");\n' > lib/ipam && chmod 755 lib/ipam

FROM ${RUNTIME_IMAGE}
ARG VERSION=0.0.0
LABEL org.opencontainers.image.title="cdk8s-ipam" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}"
WORKDIR /app
COPY --from=build /src/lib/bundle/ ./
# `kubectl exec deploy/… -- ipam zones` finds it; there is no shell and no env in the image
COPY --from=build /src/lib/ipam /usr/local/bin/ipam
# 65532 is distroless' nonroot; the root file system may be mounted read-only, data goes to the volume of --sqlite-file.
USER 65532:65532
# A container that starts again in its Pod finds compiled code in the Pod's scratch folder; where it cannot be written, nothing is kept.
ENV NODE_COMPILE_CACHE=/tmp/compile-cache
# No --enable-source-maps: it costs 90 MiB, and the bundle keeps its names and lines as they were written.
EXPOSE 9443 8081
# In a Pod of 512 MiB, Node.js would give the young generation 2 MiB: each review's garbage would grow old first, and cost a tenth more
# CPU. On a node without a limit it would give 64 MiB and more, which stay.
ENTRYPOINT ["/nodejs/bin/node", "--max-semi-space-size=8", "/app/operator.js"]
