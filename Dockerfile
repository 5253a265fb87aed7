# The server and the command line as static binaries, in an image without a
# shell, run by a user without rights.
#
#   docker build -t overton .
#   docker run -p 8080:8080 -v overton:/data overton --base-url https://study.example.org
#   docker run --rm -v overton:/data --entrypoint /overton overton study list --db /data/overton.db

FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ENV CGO_ENABLED=0
RUN go build -trimpath -ldflags="-s -w" -o /out/ ./cmd/server ./cmd/overton && mkdir /out/data

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /out/server /out/overton /
# A new volume takes its owner from here, so that the server may write to it.
COPY --from=build --chown=nonroot:nonroot /out/data /data
WORKDIR /data
ENV OVERTON_ADDR=0.0.0.0:8080 OVERTON_DB=/data/overton.db
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s CMD ["/server", "healthcheck"]
ENTRYPOINT ["/server"]
