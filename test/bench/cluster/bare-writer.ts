import { Agent, request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

const RETRY_MS = 100;

/** How the API server is reached. */
interface Access {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}

/** An apply is forced, as those of the operator are; every other patch is a merge patch. */
const typeOfPatch = (path: string): string =>
  path.includes('force=true') ? 'application/apply-patch+yaml' : 'application/merge-patch+json';

/** One object as a watch tells it. */
export interface WatchedEvent<T> {
  readonly type: string;
  readonly object: T;
}

/** Calls of a program that decides nothing, over connections that stay open. */
export class BareWriter {
  readonly #access: Access;
  readonly #agent = new Agent({ keepAlive: true });

  /** Reads `access.json` of a folder. */
  constructor(folder: string) {
    this.#access = JSON.parse(readFileSync(`${folder}/access.json`, 'utf8')) as Access;
  }

  /** Writes, and reads what is answered, as every client does. */
  async write(method: string, path: string, body: unknown): Promise<unknown> {
    const answer = await this.#open(method, path, JSON.stringify(body));
    let text = '';
    answer.setEncoding('utf8');
    for await (const part of answer) text += part as string;
    if ((answer.statusCode ?? 500) >= 400) throw new RangeError(`${method} ${path}: ${text}`);
    return JSON.parse(text);
  }

  /** Follows a watch, once kind and rights are known to the API server. */
  async *watch<T>(path: string, onOpen: () => void): AsyncGenerator<WatchedEvent<T>> {
    let stream = await this.#open('GET', path);
    while (stream.statusCode !== 200) {
      stream.resume();
      await pause(RETRY_MS);
      stream = await this.#open('GET', path);
    }
    onOpen();
    for await (const line of createInterface({ input: stream })) yield JSON.parse(line) as WatchedEvent<T>;
  }

  #open(method: string, path: string, text?: string): Promise<IncomingMessage> {
    const { url, ca, token } = this.#access;
    const headers = {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      ...(text !== undefined && {
        'content-type': method === 'PATCH' ? typeOfPatch(path) : 'application/json',
        'content-length': String(Buffer.byteLength(text)),
      }),
    };
    return new Promise((resolve, reject) => {
      const call = request(new URL(path, url), { method, ca, headers, agent: this.#agent }, resolve);
      call.on('error', reject);
      call.end(text);
    });
  }
}
