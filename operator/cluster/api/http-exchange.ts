import {
  Agent as HttpAgent,
  request as httpRequest,
  type AgentOptions,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

import type { Login, TlsMaterial } from './credentials';

/** One HTTP request. */
export interface HttpCall {
  readonly method: string;
  /** Of which host and port count. */
  readonly server: URL;
  /** Escaped, with the query. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** A watch keeps its connection for minutes, so it stands in no line with the others. */
  readonly watch: boolean;
}

// Go's servers drop idle connections after 90 s; a request on one of those would fail.
const IDLE_SOCKET_MS = 45_000;
const MOST_SOCKETS = 32;

/** A server as it is reached with one TLS material. */
interface Reached {
  readonly server: URL;
  readonly tls: TlsMaterial;
  readonly where: { readonly hostname: string; readonly port: number | undefined };
  readonly forCalls: HttpAgent;
  readonly forWatches: HttpAgent;
}

/** Connections to one server with one TLS material: the name by which Node.js finds a free one would be made of both for each request. */
class OneServerAgent extends HttpsAgent {
  /** @inheritdoc */
  override getName(): string {
    return '';
  }
}

/** Keeps connections to one server. Safe for parallel calls; after `close` no new call may be made. */
export class HttpConnections {
  readonly #agents = new Set<HttpAgent>();
  #reached: Reached | undefined;

  /**
   * Sends one request.
   *
   * @param call - what is sent
   * @param login - headers and TLS material; new material means new connections
   * @returns the answer with its body unread; rejects with the error of the network
   */
  send({ method, server, path, headers, body, signal, watch }: HttpCall, login: Login): Promise<IncomingMessage> {
    const { where, forCalls, forWatches } = this.#reach(server, login.tls);
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const options = {
      ...where,
      method,
      path,
      headers: { ...headers, ...login.headers, ...length },
      agent: login.agent ?? (watch ? forWatches : forCalls),
    };
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const sent = server.protocol === 'https:' ? httpsRequest({ ...options, ...login.tls }) : httpRequest(options);
      // Node.js has an option for this, which costs more than the request itself
      const abort = (): void => {
        sent.destroy(signal.reason as Error);
      };
      signal.addEventListener('abort', abort);
      sent.once('close', () => {
        signal.removeEventListener('abort', abort);
      });
      sent.once('response', resolve);
      // stays: a connection that breaks later tells it here too, and an error without listener ends the process
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /** Ends every connection, those in use included. */
  close(): void {
    for (const agent of this.#agents) agent.destroy();
  }

  #reach(server: URL, tls: TlsMaterial): Reached {
    if (this.#reached?.tls === tls && this.#reached.server === server) return this.#reached;
    // connections under way keep the former agents and end with them
    const reached = {
      server,
      tls,
      where: whereOf(server),
      forCalls: this.#open(server, { maxSockets: MOST_SOCKETS }),
      forWatches: this.#open(server, {}),
    };
    this.#reached = reached;
    return reached;
  }

  #open({ protocol }: URL, limits: AgentOptions): HttpAgent {
    const options = { keepAlive: true, keepAliveMsecs: 15_000, timeout: IDLE_SOCKET_MS, ...limits };
    const agent = protocol === 'https:' ? new OneServerAgent(options) : new HttpAgent(options);
    this.#agents.add(agent);
    return agent;
  }
}

// A URL has an IPv6 address in brackets, a connection is made without them.
function whereOf({ hostname, port }: URL): Reached['where'] {
  return { hostname: hostname.replace(/^\[(.*)\]$/u, '$1'), port: port === '' ? undefined : Number(port) };
}

/**
 * Reads a whole body.
 *
 * @param message - the answer
 * @returns its text; rejects when the connection breaks first
 */
export function bodyText(message: IncomingMessage): Promise<string> {
  message.setEncoding('utf8');
  return new Promise((resolve, reject) => {
    let text = '';
    message.on('data', (chunk: string) => {
      text += chunk;
    });
    message.once('end', () => {
      resolve(text);
    });
    message.once('error', reject);
    // after the end, or without one
    message.once('close', () => {
      reject(Object.assign(new Error('the body broke off'), { code: 'ECONNRESET' }));
    });
  });
}
