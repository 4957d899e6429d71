import { readFile } from 'node:fs/promises';
import { textOf } from '../../../contract/loose-json';
import type { Clock } from '../../../ports/clock';
import { cloudFault } from './cloud-fault';

/** Values of a Secret by their keys. */
type SecretValues = Readonly<Record<string, string>>;

/** Where the login of a cloud comes from. */
export interface CloudSecretParts {
  readonly clock: Pick<Clock, 'nowMs'>;
  /** As users know it, for example `Secret ipam-system/cloud-credentials`. */
  readonly name: string;
  /** Reads it; undefined where it does not exist. */
  read(): Promise<SecretValues | undefined>;
}

/** Time for which what was read is used again. */
const KEPT_MS = 30_000;

/** The Secret with the login of a cloud. It is read again every half minute, so that new keys need no restart. Errors name keys, and never values. */
export class CloudSecret {
  readonly #parts: CloudSecretParts;
  #values: Promise<SecretValues | undefined> | undefined;
  #readAtMs = 0;

  /**
   * Reads nothing yet.
   *
   * @param parts - name, and what reads it
   */
  constructor(parts: CloudSecretParts) {
    this.#parts = parts;
  }

  /**
   * Reads a value.
   *
   * @param key - under which the Secret has it
   * @returns the text without blanks around it; undefined where the Secret has no such key
   * @throws IpamError `cloud/login` without the Secret
   */
  async find(key: string): Promise<string | undefined> {
    const { name } = this.#parts;
    const values = await this.#read();
    if (values === undefined) throw cloudFault('login', `there is no ${name}, which is to have the login of the cloud`);
    const value = values[key]?.trim();
    return value === '' ? undefined : value;
  }

  /**
   * Reads values that have to be there.
   *
   * @param keys - under which the Secret has them
   * @returns one text for each
   * @throws IpamError `cloud/login` naming the keys that are missing
   */
  async need<K extends string>(...keys: readonly K[]): Promise<Readonly<Record<K, string>>> {
    const found = await Promise.all(keys.map(async (key) => [key, await this.find(key)] as const));
    const missing = found.flatMap(([key, value]) => (value === undefined ? `"${key}"` : []));
    if (missing.length > 0) throw cloudFault('login', `${this.#parts.name} has no key ${missing.join(', ')}`);
    return Object.fromEntries(found) as Record<K, string>;
  }

  /**
   * Reads a token of the ServiceAccount, which the kubelet renews in its file.
   *
   * @param path - where the kubelet puts it
   * @returns its text
   * @throws IpamError `cloud/login`
   */
  async tokenIn(path: string): Promise<string> {
    try {
      return (await readFile(path, 'utf8')).trim();
    } catch (thrown) {
      const code = textOf((thrown as NodeJS.ErrnoException).code) || 'unknown';
      throw cloudFault('login', `the token file "${path}" of ${this.#parts.name} cannot be read (${code})`);
    }
  }

  /** Reads the Secret anew with the next look: the cloud did not take what it has. */
  forget(): void {
    this.#values = undefined;
  }

  #read(): Promise<SecretValues | undefined> {
    const nowMs = this.#parts.clock.nowMs();
    if (this.#values === undefined || nowMs - this.#readAtMs >= KEPT_MS) {
      this.#readAtMs = nowMs;
      const reading = this.#parts.read();
      this.#values = reading;
      reading.catch(() => {
        if (this.#values === reading) this.#values = undefined;
      });
    }
    return this.#values;
  }
}
