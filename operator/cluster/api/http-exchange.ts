import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

import type { Login, TlsMaterial } from './credentials';

/** One HTTP request. */
export interface HttpCall {
  readonly method: string;
  readonly url: URL;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** A watch keeps its connection for minutes, so it stands in no line with the others. */
  readonly watch: boolean;
}

// Go's servers drop idle connections after 90 s; a request on one of those would fail.
const IDLE_SOCKET_MS = 45_000;
const MOST_SOCKETS = 32;

/** Keeps connections to one server. Safe for parallel calls; after `close` no new call may be made. */
export class HttpConnections {
  readonly #agents = new Set<HttpAgent>();
  #tls: TlsMaterial | undefined;
  #forCalls: HttpAgent | undefined;
  #forWatches: HttpAgent | undefined;

  /**
   * Sends one request.
   *
   * @param call - what is sent
   * @param login - headers and TLS material; new material means new connections
   * @returns the answer with its body unread; rejects with the error of the network
   */
  send(call: HttpCall, login: Login): Promise<IncomingMessage> {
    const secure = call.url.protocol === 'https:';
    const agent = login.agent ?? this.#agentFor(call, login.tls);
    const { method, signal } = call;
    const body = call.body === undefined ? {} : { 'content-length': Buffer.byteLength(call.body) };
    const headers = { ...call.headers, ...login.headers, ...body };
    return new Promise((resolve, reject) => {
      const options = { method, headers, agent, signal };
      const sent = secure ? httpsRequest(call.url, { ...options, ...login.tls }) : httpRequest(call.url, options);
      sent.once('response', resolve);
      // stays: a connection that breaks later tells it here too, and an error without listener ends the process
      sent.on('error', reject);
      sent.end(call.body);
    });
  }

  /** Ends every connection, those in use included. */
  close(): void {
    for (const agent of this.#agents) agent.destroy();
  }

  #agentFor({ url, watch }: HttpCall, tls: TlsMaterial): HttpAgent {
    if (tls !== this.#tls) {
      // connections under way keep the former agent and end with it
      this.#tls = tls;
      this.#forCalls = this.#open(url, { maxSockets: MOST_SOCKETS });
      this.#forWatches = this.#open(url, {});
    }
    const agent = watch ? this.#forWatches : this.#forCalls;
    return agent ?? this.#open(url, {});
  }

  #open({ protocol }: URL, limits: { readonly maxSockets?: number }): HttpAgent {
    const options = { keepAlive: true, keepAliveMsecs: 15_000, timeout: IDLE_SOCKET_MS, ...limits };
    const agent = protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options);
    this.#agents.add(agent);
    return agent;
  }
}

/**
 * Reads a whole body.
 *
 * @param message - the answer
 * @returns its text; rejects when the connection breaks first
 */
export async function bodyText(message: IncomingMessage): Promise<string> {
  message.setEncoding('utf8');
  let text = '';
  for await (const chunk of message) text += String(chunk);
  return text;
}
