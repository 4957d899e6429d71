import { createHash, timingSafeEqual, type X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { FastifyRequest } from 'fastify';
import type { ClientProps } from '../../../contract/ipam-api/v3/clients';
import { accept, refuse, type Outcome } from '../../../errors/outcome';
import type { Clock } from '../../../ports/clock';
import { isCertificate } from './certificate-match';
import type { Login, V3Client } from './parts';
import { RequestRate } from './request-rate';
import { present } from './wire';

const DEFAULT_PER_SECOND = 50;
const DEFAULT_BURST = 200;

/** Where the clients come from. */
export interface ClientSource {
  /** Clients that may call now; another list after each change. */
  current(): readonly ClientProps[];
  /** CAs by which client certificates are trusted; absent: none is asked for. */
  readonly clientCa?: { current(): string };
}

interface KnownClient {
  readonly props: ClientProps;
  readonly client: V3Client;
  readonly tokens: readonly Buffer[];
  readonly rate: RequestRate;
}

/**
 * Makes the login of version 3: a bearer token, else a client certificate that the server's client CA signed.
 *
 * @param source - the clients
 * @param clock - for the rate of calls
 * @returns tells the caller; refusals `api/unauthenticated`, `api/rate-limit`
 */
export function clientLogin(source: ClientSource, clock: Clock): Login {
  let seen: readonly ClientProps[] | undefined;
  let known: readonly KnownClient[] = [];
  const knownNow = (): readonly KnownClient[] => {
    const clients = source.current();
    if (clients !== seen) {
      seen = clients;
      known = clients.map((props) => knownClient(props, known, clock));
    }
    return known;
  };
  return {
    authenticate: (request) => {
      const found = whoCalls(knownNow(), request);
      return found.ok ? withinRate(found.value) : found;
    },
    follow: (request) => followed(() => ({ known: knownNow(), ca: trustOf(source, request) }), request),
  };
}

interface Trust {
  readonly known: readonly KnownClient[];
  readonly ca: string | undefined;
}

// Looks again only after a change: this is asked for each event of each stream.
function followed(now: () => Trust, request: FastifyRequest): () => Outcome<V3Client> {
  const { ca } = now();
  let known: readonly KnownClient[] | undefined;
  let caller: Outcome<V3Client> = unknownCaller('no client has called');
  return () => {
    const trust = now();
    // the certificate was verified when the connection was made, by another CA
    if (trust.ca !== ca) return unknownCaller('the CA of client certificates is another one now; connect again');
    if (trust.known !== known) {
      known = trust.known;
      const found = whoCalls(known, request);
      caller = found.ok ? accept(found.value.client) : found;
    }
    return caller;
  };
}

function trustOf({ clientCa }: ClientSource, request: FastifyRequest): string | undefined {
  return request.headers.authorization === undefined ? clientCa?.current() : undefined;
}

function knownClient(props: ClientProps, before: readonly KnownClient[], clock: Clock): KnownClient {
  const { name, role, clusterUids = [], operator, tokenSha256 = [] } = props;
  const { clusterQuota, namespaceQuota, occupiedQuota } = props;
  const former = before.find((each) => each.client.name === name)?.rate;
  return {
    props,
    client: { name, role, clusterUids, ...present({ operator, clusterQuota, namespaceQuota, occupiedQuota }) },
    tokens: tokenSha256.map((hash) => Buffer.from(hash, 'hex')),
    rate: rateOf(props, former, clock),
  };
}

// A reload of the file is no new allowance.
function rateOf(props: ClientProps, former: RequestRate | undefined, clock: Clock): RequestRate {
  const { requestsPerSecond: perSecond = DEFAULT_PER_SECOND, burst = DEFAULT_BURST } = props;
  const same = former?.limit.perSecond === perSecond && former.limit.burst === burst;
  return same ? former : new RequestRate({ perSecond, burst }, clock);
}

function whoCalls(known: readonly KnownClient[], request: FastifyRequest): Outcome<KnownClient> {
  const header = request.headers.authorization;
  if (header !== undefined) {
    const token = /^bearer ([A-Za-z0-9._~+/=-]{1,4096})$/iu.exec(header)?.[1];
    const found = token === undefined ? undefined : byToken(known, token);
    return found === undefined ? unknownCaller('the token is none of a known client') : accept(found);
  }
  const certificate = shownCertificate(request);
  if (certificate === undefined) return unknownCaller('send "authorization: Bearer <token>", or a client certificate');
  const found = known.find(({ props }) => (props.certificates ?? []).some((each) => isCertificate(each, certificate)));
  return found === undefined ? unknownCaller('the certificate is none of a known client') : accept(found);
}

// Looks at every hash, so that the time tells nothing of which one came near.
function byToken(known: readonly KnownClient[], token: string): KnownClient | undefined {
  const hash = createHash('sha256').update(token).digest();
  let found: KnownClient | undefined;
  for (const each of known) {
    for (const wanted of each.tokens) if (timingSafeEqual(wanted, hash)) found = each;
  }
  return found;
}

function shownCertificate(request: FastifyRequest): X509Certificate | undefined {
  const socket = request.raw.socket as Partial<TLSSocket>;
  return socket.authorized === true ? socket.getPeerX509Certificate?.() : undefined;
}

function unknownCaller(what: string): Outcome<never> {
  return refuse('api/unauthenticated', `version 3 of the IPAM-API serves known clients only: ${what}`);
}

function withinRate({ client, rate }: KnownClient): Outcome<V3Client> {
  const wait = rate.take();
  if (wait === undefined) return accept(client);
  const { perSecond, burst } = rate.limit;
  const message = `client "${client.name}" may call ${perSecond} times a second and ${burst} times at once; ask again in ${wait} s`;
  return refuse('api/rate-limit', message, { retryAfterSeconds: wait });
}
