import { CONFIGURATIONS, Installation } from '../../../support/certificate-installation';
import { accepts, refusal } from '../../../support/certificate-api';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;

const countOf = (bundle: string): number => bundle.match(/BEGIN/g)?.length ?? 0;

let installation: Installation;
beforeEach(() => {
  installation = new Installation();
});
afterEach(() => {
  installation.stopAll();
});

describe('the rotation of the CA', () => {
  /** First start, then nine years without the operator. */
  const untilRotation = async (): Promise<void> => {
    await installation.start();
    installation.stopAll();
    installation.clock.advance(9 * YEAR_MS + DAY_MS);
  };

  test('goes day by day: both are trusted for a day, the next one issues, and the old one goes a day later', async () => {
    await untilRotation();
    const old = installation.api.texts['ca.crt'] ?? '';
    const source = await installation.start();
    await installation.start();
    const bundles = () => CONFIGURATIONS.map((which) => countOf(installation.api.bundle(which)));
    expect(bundles()).toEqual([2, 2]);
    expect(accepts(old, source.current().certificate)).toBe(true);
    await installation.pass(23 * HOUR_MS, HOUR_MS);
    expect(accepts(old, source.current().certificate)).toBe(true);
    await installation.pass(2 * HOUR_MS, HOUR_MS);
    expect(accepts(old, source.current().certificate)).toBe(false);
    expect(bundles()).toEqual([2, 2]);
    await installation.pass(22 * HOUR_MS, HOUR_MS);
    expect(bundles()).toEqual([2, 2]);
    await installation.pass(3 * HOUR_MS, HOUR_MS);
    expect(bundles()).toEqual([1, 1]);
    expect(Object.keys(installation.api.texts).sort()).toEqual(['ca.crt', 'ca.key', 'tls.crt', 'tls.key']);
    expect(installation.results().filter((result) => result?.startsWith('authority'))).toEqual([
      'authority_made',
      'authority_taken',
      'authority_left',
    ]);
    expect(installation.refused).toEqual([]);
  });

  test('waits while a configuration cannot be made to trust the next CA', async () => {
    await untilRotation();
    const old = installation.api.texts['ca.crt'] ?? '';
    installation.api.refuse = ({ method, path }) =>
      method === 'PATCH' && path.includes('validating') ? refusal(403, 'Forbidden') : undefined;
    const source = await installation.start();
    await installation.pass(5 * DAY_MS, DAY_MS);
    expect(accepts(old, source.current().certificate)).toBe(true);
    expect(source.problem()).toBeUndefined();
    installation.api.refuse = () => undefined;
    await installation.pass(2 * DAY_MS, DAY_MS);
    expect(accepts(old, source.current().certificate)).toBe(false);
    expect(installation.refused).toEqual([]);
  });

  test('never leaves a replica behind that cannot look for most of a day', async () => {
    await untilRotation();
    const lagging = await installation.start();
    await installation.start();
    await installation.pass(23 * HOUR_MS, HOUR_MS);
    const client = installation.sources.get(lagging);
    for (const cutOff of [true, false]) {
      if (client !== undefined) client.cutOff = cutOff;
      await installation.pass(23 * HOUR_MS, HOUR_MS);
    }
    expect(countOf(installation.api.bundle('mutating'))).toBe(1);
    expect(installation.refused).toEqual([]);
  });

  test.each([
    ['a damaged next CA', { 'next-ca.key': 'nonsense' }, 'the next CA is dropped'],
    ['no time of the trust', { 'next-ca-trusted-since': 'yesterday' }, undefined],
    ['a time of the trust far ahead', { 'next-ca-trusted-since': '2099-01-01T00:00:00Z' }, undefined],
  ])('goes on after %s', async (_, changes, message) => {
    await untilRotation();
    await installation.start();
    installation.api.damage(changes);
    await installation.pass(4 * DAY_MS, HOUR_MS);
    expect(installation.logger.lines.some((line) => line.message === message)).toBe(message !== undefined);
    expect(countOf(installation.api.bundle('mutating'))).toBe(1);
    expect(installation.results().filter((result) => result === 'authority_left')).toHaveLength(1);
    expect(installation.refused).toEqual([]);
  });

  test.each([
    ['no time of its end', { 'previous-ca-since': '' }, 'the previous CA has no time of its end; it stays another day'],
    ['an unreadable previous CA', { 'previous-ca.crt': 'nonsense' }, 'the previous CA is dropped'],
  ])('ends after %s', async (_, changes, message) => {
    await untilRotation();
    await installation.start();
    await installation.pass(25 * HOUR_MS, HOUR_MS);
    installation.api.damage(changes);
    await installation.pass(2 * DAY_MS, HOUR_MS);
    expect(installation.logger.lines.map((line) => line.message)).toContain(message);
    expect(countOf(installation.api.bundle('mutating'))).toBe(1);
    expect(installation.refused).toEqual([]);
  });
});

describe('a process that dies after a write', () => {
  /** Writes from nothing to the end of a rotation: start 3, next CA 4, taken over 1, old one gone 3. */
  const WRITES = 11;

  test('counts every write of the whole way', async () => {
    await wholeWay(Infinity);
    expect(installation.api.writes).toHaveLength(WRITES);
  });

  test.each(Array.from({ length: WRITES }, (_, index) => index + 1))(
    'number %i leaves what the next one goes on with, and callers are never refused',
    async (writes) => {
      await wholeWay(writes);
      expect(installation.refused).toEqual([]);
      expect(CONFIGURATIONS.map((which) => countOf(installation.api.bundle(which)))).toEqual([1, 1]);
      expect(installation.results()).not.toContain('replaced');
    },
  );

  test.each([1, 2, 3])('dies after every %i writes and still comes to the end', async (each) => {
    await wholeWay(each, each);
    expect(installation.refused).toEqual([]);
    expect(CONFIGURATIONS.map((which) => countOf(installation.api.bundle(which)))).toEqual([1, 1]);
  });

  async function wholeWay(writes: number, later = Infinity): Promise<void> {
    let left = writes;
    // The Deployment: whatever has no writes left is dead, and a new process comes.
    const restart = async (): Promise<void> => {
      for (;;) {
        const [running] = installation.sources;
        if (running !== undefined && running[1].writesLeft > 0) return;
        if (running !== undefined) {
          installation.stop(running[0]);
          left = later;
        }
        await installation.start({ writes: left }).catch(() => {
          left = later;
        });
      }
    };
    await restart();
    const [first] = installation.sources;
    left = first?.[1].writesLeft ?? left;
    installation.stopAll();
    installation.clock.advance(9 * YEAR_MS + DAY_MS);
    for (let hours = 0; hours < 72; hours += 4) {
      await restart();
      await installation.pass(4 * HOUR_MS);
    }
    await restart();
  }
});
