# docker build -t snakka . && docker run -p 9092:9092 -v snakka:/data snakka
FROM python:3.13-slim AS build
COPY . /source
RUN pip wheel --no-cache-dir --wheel-dir /wheels /source

FROM python:3.13-slim
RUN --mount=from=build,source=/wheels,target=/wheels pip install --no-cache-dir --no-index --find-links /wheels snakka \
    && useradd --system --create-home --home-dir /data snakka
USER snakka
VOLUME /data
EXPOSE 9092
# The broker must tell clients an address that they can reach: the published port of the host unless told otherwise.
ENV SNAKKA_ADVERTISED=localhost:9092
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=2s --start-period=5s \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:9404/health', timeout=1)"]
CMD ["sh", "-c", "exec snakka start --data-dir /data/logs --listen 0.0.0.0:9092 \
    --set advertised.listeners=PLAINTEXT://$SNAKKA_ADVERTISED --metrics 127.0.0.1:9404"]
