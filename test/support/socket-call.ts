import { request } from 'node:http';

/** One call of an admin socket. */
export interface SocketCall {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/**
 * Calls an admin socket past the command line.
 *
 * @returns status and body
 */
export function socketCall(
  socketPath: string,
  { method, path, body }: SocketCall,
): Promise<{ readonly status: number; readonly body: unknown }> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const call = request({ socketPath, method, path, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => (text += chunk));
      answer.on('end', () => {
        resolve({ status: answer.statusCode ?? 0, body: text === '' ? undefined : JSON.parse(text) });
      });
    });
    call.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}
