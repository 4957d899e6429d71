import type { AddressInfo } from 'node:net';
import type { Server as HttpsServer } from 'node:https';
import { fastify, type FastifyInstance } from 'fastify';
import { IpamError } from '../errors/ipam-error';
import { BODIES_BYTES, BodyBudget } from './body-budget';
import { Connections } from './connections';
import { limitHandshakes } from './handshakes';
import { earlyAnswers, useJsonErrors } from './json-errors';
import type { CertificatePair } from '../ports/certificates';
import type { Tools } from '../ports/tools';
import type { CertificateSource } from './serving-certificate';

/** Time that a connection may rest between two requests; longer than the 90 s of the API server's own pool. */
const KEEP_ALIVE_MS = 120_000;
/** Time for a whole request to arrive. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Time for a TLS handshake, and for the header of a request to arrive. */
const HEADERS_TIMEOUT_MS = 10_000;
/** A connection on which nothing moves is cut after the time for a request, times this; no answer takes longer to begin. */
const STALLED_FACTOR = 10;
/** Most characters of one part of a path. */
const MAX_PARAMETER = 3_000;
/** Most bytes of the header of a request. */
const MAX_HEADER_BYTES = 16_384;

/** A text that others change while the server runs. */
interface FollowedText {
  current(): string;
  onChange(listener: () => void): () => void;
}

/** Options of {@link createWebServer}. */
export interface WebServerOptions extends Tools {
  /** Name in metrics, one of a bounded set; `other` by default. */
  readonly listener?: string;
  /** Largest body in bytes; a larger one gets 413. */
  readonly bodyLimitBytes: number;
  /** Bytes of bodies in flight at most, small ones and large ones each; 24 MiB by default. A body beyond it gets 503. */
  readonly bodiesBytes?: number;
  /** Serves HTTPS with the source's certificate and follows its changes; absent: HTTP. */
  readonly certificate?: CertificateSource;
  /** CA certificates (PEM) that client certificates are trusted by: they are asked for, and a client without one is served too. */
  readonly clientCa?: FollowedText;
  /** Milliseconds for a whole request to arrive; 30 000 by default. */
  readonly requestTimeoutMs?: number;
  /** Open connections at most; 1 000 by default. */
  readonly mostConnections?: number;
}

/** Where a server listens; an empty host means every address of the machine, both families. */
export interface BindAddress {
  readonly host: string;
  readonly port: number;
}

/** One server. Routes are added to `app` before `listen`; after `close` it cannot be used again. */
export interface WebServer {
  readonly app: FastifyInstance;
  /** Begins to listen; returns the true address. Throws `settings/invalid` when the address cannot be had. */
  listen(address: BindAddress): Promise<BindAddress>;
  /** From now on every connection ends after its next answer, or once it is quiet; new ones are still taken. */
  endConnections(): void;
  /** Takes no new connection, lets running requests finish. Idempotent. */
  close(): Promise<void>;
  /** Cuts every connection, for callers that never finish. */
  cut(): void;
}

/**
 * Makes an HTTP or HTTPS server with JSON errors, limits, and no log line on the happy path.
 *
 * @param options - limits, certificate, clock, log and metrics
 * @returns the server; it does not listen yet
 */
export function createWebServer(options: WebServerOptions): WebServer {
  const { certificate, clock, meter } = options;
  const app = createInstance(options);
  const most = options.mostConnections === undefined ? {} : { most: options.mostConnections };
  const connections = new Connections(app, { clock, meter, tls: certificate !== undefined, ...most });
  if (certificate !== undefined) limitHandshakes(app.server, meter);
  useJsonErrors(app, options);
  const { bodiesBytes: mostBytes = BODIES_BYTES, listener = 'other' } = options;
  new BodyBudget({ clock, meter, mostBytes, listener }).limit(app);
  const renew = (pair: CertificatePair): void => {
    // Kept-alive connections would go on with the old certificate for ever; each ends after its next answer.
    (app.server as unknown as HttpsServer).setSecureContext(tlsOf(pair, options));
    connections.retire();
  };
  const stopFollowing = certificate?.onChange(renew);
  const stopFollowingCa = options.clientCa?.onChange(() => {
    const pair = certificate?.current();
    if (pair !== undefined) renew(pair);
  });
  app.addHook('onClose', (_app, done) => {
    stopFollowing?.();
    stopFollowingCa?.();
    connections.close();
    done();
  });
  return {
    app,
    listen: (address) => listen(app, address),
    endConnections: () => {
      connections.end();
    },
    close: () => app.close(),
    cut: () => {
      app.server.closeAllConnections();
    },
  };
}

const TLS = { minVersion: 'TLSv1.2' } as const;

function tlsOf({ certificate: cert, key }: CertificatePair, { clientCa }: WebServerOptions) {
  return { cert, key, ...TLS, ...(clientCa === undefined ? {} : { ca: clientCa.current() }) };
}

function createInstance(options: WebServerOptions): FastifyInstance {
  const requestTimeout = options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
  const node = {
    headersTimeout: Math.min(HEADERS_TIMEOUT_MS, requestTimeout),
    connectionsCheckingInterval: Math.min(1_000, requestTimeout),
    maxHeaderSize: MAX_HEADER_BYTES,
  };
  const settings = {
    bodyLimit: options.bodyLimitBytes,
    requestTimeout,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionTimeout: requestTimeout * STALLED_FACTOR,
    forceCloseConnections: 'idle',
    // A request that comes while we close was sent in good faith: it is answered, not refused.
    return503OnClosing: false,
    logger: false,
    routerOptions: { maxParamLength: MAX_PARAMETER },
    // A changed body would make every JSON patch wrong.
    ajv: { customOptions: { coerceTypes: false, useDefaults: false, removeAdditional: false } },
    ...earlyAnswers(options),
  } as const;
  const pair = options.certificate?.current();
  if (pair === undefined) return withJsonOnly(fastify({ ...settings, http: node }));
  // a client without a certificate, or one of a foreign CA, may have a token
  const asks = options.clientCa === undefined ? {} : { requestCert: true, rejectUnauthorized: false };
  const https = { ...node, handshakeTimeout: node.headersTimeout, ...tlsOf(pair, options), ...asks };
  // fastify types an HTTPS instance apart; routes, hooks and inject are the same.
  return withJsonOnly(fastify({ ...settings, https }));
}

function withJsonOnly(app: FastifyInstance): FastifyInstance {
  app.removeContentTypeParser('text/plain');
  return app;
}

async function listen(app: FastifyInstance, { host, port }: BindAddress): Promise<BindAddress> {
  const hosts = host === '' ? ['::', '0.0.0.0'] : [host];
  let reason: unknown;
  for (const candidate of hosts) {
    try {
      await app.listen({ host: candidate, port });
      const bound = app.server.address() as AddressInfo;
      return { host: bound.address, port: bound.port };
    } catch (error) {
      reason = error;
      if (!isFamilyMissing(error)) break;
    }
  }
  const code = (reason as NodeJS.ErrnoException).code ?? 'unknown error';
  throw new IpamError('settings/invalid', `cannot listen on "${host}:${port}" (${code})`, { cause: reason });
}

// A kernel without IPv6 has no "::".
function isFamilyMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'EAFNOSUPPORT' || code === 'EADDRNOTAVAIL';
}
