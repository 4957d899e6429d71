import { once } from 'node:events';
import { Agent } from 'node:https';
import type { Socket } from 'node:net';
import { SYSTEM_CLOCK } from '../../../operator/backends/system/system-clock';
import { QUIET_MS } from '../../../operator/server/connections';
import { createWebServer, type WebServer } from '../../../operator/server/https-server';
import { issueServingPair, makeAuthority, type CertificateAuthority } from '../../../operator/server/self-signed';
import type { CertificatePair, CertificateSource } from '../../../operator/server/serving-certificate';
import type { Clock } from '../../../operator/ports/clock';
import { call, type Answer } from '../../support/loopback';
import { ManualClock } from '../../support/manual-clock';
import { RecordedLogger, RecordedMeter } from '../../support/recorded-telemetry';

/** A source that a test switches by hand. */
class SwitchedSource implements CertificateSource {
  readonly #listeners = new Set<(pair: CertificatePair) => void>();
  #pair: CertificatePair;

  constructor(pair: CertificatePair) {
    this.#pair = pair;
  }

  current(): CertificatePair {
    return this.#pair;
  }

  onChange(listener: (pair: CertificatePair) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  problem(): undefined {
    return undefined;
  }

  close(): void {
    this.#listeners.clear();
  }

  switchTo(pair: CertificatePair): void {
    this.#pair = pair;
    for (const listener of this.#listeners) listener(pair);
  }

  get followers(): number {
    return this.#listeners.size;
  }
}

describe('createWebServer with a certificate', () => {
  let authorities: CertificateAuthority[];
  let ca: string[];
  let pairs: CertificatePair[];
  let source: SwitchedSource;
  let server: WebServer;
  let port: number;
  const agents: Agent[] = [];

  beforeAll(async () => {
    authorities = await Promise.all([makeAuthority(Date.now()), makeAuthority(Date.now())]);
    ca = authorities.map(({ certificate }) => certificate);
    pairs = await Promise.all(authorities.map((each) => issueServingPair(each, { names: [], nowMs: Date.now() })));
  });

  const start = async (clock: Clock): Promise<void> => {
    source = new SwitchedSource(pairs[0]!);
    server = createWebServer({
      bodyLimitBytes: 1_024,
      clock,
      logger: new RecordedLogger(),
      meter: new RecordedMeter(),
      certificate: source,
    });
    server.app.get('/', () => 'here');
    ({ port } = await server.listen({ host: '127.0.0.1', port: 0 }));
  };
  const keptAlive = (): Agent => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    agents.push(agent);
    return agent;
  };
  const get = (agent: Agent): Promise<Answer> => call({ port, ca, agent });

  afterEach(async () => {
    for (const agent of agents.splice(0)) agent.destroy();
    await server.close();
  });

  test('serves the new certificate to new connections at once', async () => {
    await start(new ManualClock());
    const before = await get(keptAlive());
    source.switchTo(pairs[1]!);
    const after = await get(keptAlive());
    expect(after.status).toBe(200);
    expect(after.serial).not.toBe(before.serial);
  });

  test('ends an old connection with its next answer, and keeps new ones', async () => {
    await start(new ManualClock());
    const agent = keptAlive();
    const before = await get(agent);
    source.switchTo(pairs[1]!);
    const last = await get(agent);
    const after = await get(agent);
    expect([before, last, after].map(({ headers }) => headers.connection)).toEqual([
      'keep-alive',
      'close',
      'keep-alive',
    ]);
    expect([last.serial === before.serial, after.serial === before.serial]).toEqual([true, false]);
  });

  test('closes an old connection that stays quiet, not one that has just been used', async () => {
    const clock = new ManualClock();
    await start(clock);
    const agent = keptAlive();
    await get(agent);
    const [socket] = Object.values(agent.freeSockets).flat() as Socket[];
    source.switchTo(pairs[1]!);
    expect(socket?.destroyed).toBe(false);
    const closed = once(socket!, 'close');
    clock.advance(QUIET_MS);
    await closed;
    expect(clock.waiting).toBe(0);
  });

  test('WH-11 loses no request while the certificate and its CA change under load', async () => {
    await start(SYSTEM_CLOCK);
    let running = true;
    const answers: Answer[] = [];
    const caller = async (): Promise<void> => {
      const agent = keptAlive();
      while (running) answers.push(await get(agent));
    };
    const callers = Promise.all(Array.from({ length: 8 }, caller));
    const more = async (count: number): Promise<void> => {
      const wanted = answers.length + count;
      while (answers.length < wanted) await new Promise((resolve) => setImmediate(resolve));
    };
    await more(200);
    for (const next of [1, 0, 1]) {
      source.switchTo(pairs[next]!);
      await more(200);
    }
    running = false;
    await callers;
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    const last = answers.slice(-8).map(({ serial }) => serial);
    expect(new Set(last).size).toBe(1);
    expect(last[0]).not.toBe(answers[0]?.serial);
  });

  test('speaks no TLS below 1.2', async () => {
    await start(new ManualClock());
    const old = new Agent({ maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' });
    agents.push(old);
    await expect(get(old)).rejects.toThrow();
  });

  test('lets go of the source when it closes', async () => {
    await start(new ManualClock());
    await server.close();
    expect(source.followers).toBe(0);
  });
});
