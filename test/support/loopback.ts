import { request as httpRequest, type Agent, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** One call over a real socket. */
export interface Call {
  readonly port: number;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** CA certificates to trust; with it the call goes over HTTPS. */
  readonly ca?: string | readonly string[];
  /** Name for which the server shows its certificate; absent: its address. */
  readonly servername?: string;
  readonly agent?: Agent;
}

/** An answer. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Serial number of the server's certificate; empty over HTTP. */
  readonly serial: string;
}

/** Calls a server on 127.0.0.1. */
export function call({
  port,
  method = 'GET',
  path = '/',
  headers = {},
  body,
  ca,
  servername,
  agent,
}: Call): Promise<Answer> {
  // Node frames the body of a DELETE only when it is told the length.
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const options = {
    host: '127.0.0.1',
    port,
    method,
    path,
    headers: { ...length, ...headers },
    ...(agent && { agent }),
    ...(servername === undefined ? {} : { servername }),
  };
  return new Promise((resolve, reject) => {
    const sent = ca === undefined ? httpRequest(options) : httpsRequest({ ...options, ca: [ca].flat() });
    sent.on('error', reject);
    sent.on('response', (answer) => {
      let text = '';
      const socket = answer.socket as Partial<TLSSocket>;
      const serial = ca === undefined ? '' : (socket.getPeerCertificate?.().serialNumber ?? '');
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => (text += part));
      answer.on('error', reject);
      answer.on('end', () => {
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text, serial });
      });
    });
    sent.end(body);
  });
}

/** Sends JSON. */
export function callJson(options: Omit<Call, 'body'> & { readonly json: unknown }): Promise<Answer> {
  const { json, ...rest } = options;
  return call({
    ...rest,
    headers: { 'content-type': 'application/json', ...rest.headers },
    body: JSON.stringify(json),
  });
}

/** Sends bytes as they are and returns everything that comes back until the server closes the connection. */
export function sendBytes(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (part: string) => (text += part));
    socket.on('error', reject);
    socket.on('close', () => {
      resolve(text);
    });
    socket.write(bytes);
  });
}
