import type { ApiAnswer } from '../../../../operator/cluster/api/api-client';
import { startLeaseElection, type LeaseElection } from '../../../../operator/cluster/lease/lease-election';
import { isMap, type JsonMap } from '../../../../operator/contract/loose-json';
import { IpamError } from '../../../../operator/errors/ipam-error';
import { ManualClock } from '../../../support/manual-clock';
import { MemoryApiClient, refusedWith, withoutNamespace } from '../../../support/memory-api-client';
import { RecordedLogger, RecordedMeter } from '../../../support/recorded-telemetry';
import { settled } from '../../../support/settled';

const PATH = '/apis/coordination.k8s.io/v1/namespaces/ipam-system/leases/ipam-operator';
const MICRO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/u;

let server: MemoryApiClient;
let clock: ManualClock;
let logger: RecordedLogger;
let meter: RecordedMeter;
let happened: string[];
let running: LeaseElection[];

beforeEach(() => {
  server = new MemoryApiClient();
  clock = new ManualClock();
  logger = new RecordedLogger();
  meter = new RecordedMeter();
  happened = [];
  running = [];
});
afterEach(async () => {
  server.intercept = () => undefined;
  await Promise.all(running.map((each) => each.close()));
});

interface Around {
  readonly client?: MemoryApiClient;
  readonly onStopped?: () => Promise<void> | void;
  readonly wallClock?: ManualClock;
}

function elect(identity: string, { client = server, onStopped, wallClock = clock }: Around = {}): LeaseElection {
  const election = startLeaseElection({
    client,
    namespace: 'ipam-system',
    name: 'ipam-operator',
    identity,
    logger,
    meter,
    clock: { nowMs: () => wallClock.nowMs(), after: (ms, run) => clock.after(ms, run) },
    monotonicMs: () => clock.nowMs(),
    random: () => 0,
    onStarted: () => happened.push(`${identity} leads`),
    onStopped: () => {
      happened.push(`${identity} stops`);
      return onStopped?.();
    },
  });
  running.push(election);
  return election;
}

async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 500) {
    clock.advance(Math.min(500, left));
    await settled();
  }
}

const lease = (): JsonMap => {
  const spec = server.get(PATH)?.['spec'];
  return isMap(spec) ? spec : {};
};

/** A client of the same server that can lose its connection. */
function ownLine(): MemoryApiClient & { cut: boolean } {
  return Object.assign(new MemoryApiClient(), {
    cut: false,
    async request(this: { cut: boolean }, ...[request]: Parameters<MemoryApiClient['request']>): Promise<ApiAnswer> {
      if (this.cut) throw new IpamError('cluster/unavailable', 'cut');
      return server.request(request);
    },
  });
}

describe('startLeaseElection', () => {
  test('makes the Lease and leads', async () => {
    const election = elect('a');
    expect(election.leading()).toBe(false);
    await settled();
    expect(election.leading()).toBe(true);
    expect(happened).toEqual(['a leads']);
    expect(lease()).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      leaseTransitions: 0,
      acquireTime: expect.stringMatching(MICRO_TIME) as string,
      renewTime: expect.stringMatching(MICRO_TIME) as string,
    });
    expect(meter.of('leading').map(({ value }) => value)).toEqual([0, 1]);
  });

  test('renews every two seconds by one write each, keeping the time at which it came to lead', async () => {
    elect('a');
    await settled();
    const { acquireTime } = lease();
    server.requests.length = 0;
    await pass(6000);
    expect(server.requests.map(({ method }) => method)).toEqual(['PUT', 'PUT', 'PUT']);
    expect(lease()).toMatchObject({ acquireTime, leaseTransitions: 0 });
    expect(lease()['renewTime']).not.toBe(acquireTime);
  });

  test('keeps labels and owners that somebody gave the Lease, and leads on when it was changed under it', async () => {
    const election = elect('a');
    await settled();
    const stored = server.get(PATH)!;
    server.put(PATH, { ...stored, metadata: { ...(stored['metadata'] as JsonMap), labels: { team: 'net' } } });
    await pass(2000);
    expect(server.get(PATH)).toMatchObject({ metadata: { labels: { team: 'net' } }, spec: { holderIdentity: 'a' } });
    expect(happened).toEqual(['a leads']);
    expect(election.leading()).toBe(true);
  });

  test('lets one of two lead, and only one when both try at the same time', async () => {
    const elections = [elect('a'), elect('b')];
    await settled();
    await pass(60_000);
    expect(happened).toHaveLength(1);
    expect(elections.filter((each) => each.leading())).toHaveLength(1);
  });

  test('hands over at once when the leader ends', async () => {
    const first = elect('a');
    await settled();
    const second = elect('b');
    await settled();
    await first.close();
    expect(lease()).toMatchObject({ holderIdentity: '' });
    await pass(500);
    expect(happened).toEqual(['a leads', 'a stops', 'b leads']);
    expect(second.leading()).toBe(true);
    expect(lease()).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });

  test('lets one of several candidates lead in less than a second after an orderly end, by one write', async () => {
    const first = elect('a');
    await settled();
    const candidates = [elect('b'), elect('c'), elect('d')];
    await settled();
    await first.close();
    server.requests.length = 0;
    await pass(500);
    expect(candidates.filter((each) => each.leading())).toHaveLength(1);
    expect(lease()).toMatchObject({ leaseTransitions: 1 });
    expect(server.requests.filter(({ method }) => method === 'PUT').length).toBeLessThanOrEqual(candidates.length);
    await pass(10_000);
    expect(happened.filter((each) => each.endsWith('leads'))).toHaveLength(2);
  });

  test('looks as a candidate into the memory of the API server alone, and writes nothing', async () => {
    elect('a');
    await settled();
    elect('b');
    await settled();
    server.requests.length = 0;
    await pass(6000);
    const reads = server.requests.filter(({ method }) => method === 'GET');
    expect(reads.every(({ query }) => query?.['resourceVersion'] === '0')).toBe(true);
    expect(reads.length).toBeLessThanOrEqual(20);
    expect(server.requests.length - reads.length).toBe(3); // renewals of the leader
  });

  test('does not take the Lease by what the memory of the API server shows of the past', async () => {
    elect('a');
    await settled();
    const old = { ...server.get(PATH)!, spec: { ...lease(), holderIdentity: '' } };
    await pass(2000);
    server.intercept = ({ method, query }) =>
      method === 'GET' && query?.['resourceVersion'] === '0' ? { ok: true, status: 200, body: old } : undefined;
    const candidate = elect('b');
    await pass(5000);
    expect([candidate.leading(), happened]).toEqual([false, ['a leads']]);
  });

  test('tells who was seen to lead, and not who is only found in a Lease that came with a backup', async () => {
    server.put(PATH, {
      metadata: { name: 'ipam-operator', namespace: 'ipam-system' },
      spec: { holderIdentity: 'elsewhere', leaseDurationSeconds: 15, leaseTransitions: 4 },
    });
    const first = elect('a');
    const second = elect('b');
    await pass(20_000);
    const [leader, candidate, name] = first.leading() ? [first, second, 'a'] : [second, first, 'b'];
    expect([candidate.hasLed(name), candidate.hasLed('elsewhere'), leader.hasLed('elsewhere')]).toEqual([
      true,
      false,
      false,
    ]);
    const third = elect('c');
    await settled();
    expect(third.hasLed(name)).toBe(false);
    await leader.close();
    await pass(1000);
    expect([third.hasLed(name), third.leading() || candidate.leading()]).toEqual([true, true]);
  });

  test('gives the Lease back only after everything of the leader has ended', async () => {
    let end: () => void = () => undefined;
    const first = elect('a', { onStopped: () => new Promise<void>((resolve) => (end = resolve)) });
    await settled();
    const closing = first.close();
    await settled();
    expect(happened).toEqual(['a leads', 'a stops']);
    expect(lease()).toMatchObject({ holderIdentity: 'a' });
    end();
    await closing;
    expect(lease()).toMatchObject({ holderIdentity: '' });
  });

  test('steps down before anybody else may take the Lease, when it cannot renew', async () => {
    const line = ownLine();
    const first = elect('a', { client: line });
    await settled();
    const second = elect('b');
    await settled();
    line.cut = true;
    await pass(9500);
    expect(first.leading()).toBe(true);
    await pass(500);
    expect(first.leading()).toBe(false);
    expect(happened).toEqual(['a leads', 'a stops']);
    await pass(4500);
    expect(second.leading()).toBe(false);
    await pass(2500);
    expect(second.leading()).toBe(true);
    expect(happened).toEqual(['a leads', 'a stops', 'b leads']);
  });

  test('steps down on time while a renewal hangs, and does not believe its late success', async () => {
    const election = elect('a');
    await settled();
    let answer: (late: ApiAnswer | undefined) => void = () => undefined;
    server.intercept = () => new Promise((resolve) => (answer = resolve));
    await pass(10_000);
    expect(happened).toEqual(['a leads', 'a stops']);
    server.intercept = () => undefined;
    answer(undefined);
    expect(election.leading()).toBe(false);
    await pass(2000);
    expect(happened).toEqual(['a leads', 'a stops', 'a leads']);
  });

  test('does not lead in its own eyes once the time is over, even before its timer fires', async () => {
    const election = elect('a');
    await settled();
    const late = new ManualClock(clock.nowMs());
    late.advance(10_000);
    jest.spyOn(clock, 'nowMs').mockImplementation(() => late.nowMs());
    expect(election.leading()).toBe(false);
    jest.restoreAllMocks();
  });

  test('judges the end of a Lease by its own time alone, however wrong the clock of the leader is', async () => {
    const wrong = new ManualClock(Date.UTC(2001, 0, 1));
    const first = elect('a', { wallClock: wrong });
    await settled();
    const second = elect('b');
    for (let second_ = 0; second_ < 40; second_++) {
      wrong.advance(1000);
      await pass(1000);
    }
    expect(first.leading()).toBe(true);
    expect(second.leading()).toBe(false);
    expect(happened).toEqual(['a leads']);
  });

  test('waits a whole duration from when it first saw the Lease of a leader that died', async () => {
    server.put(PATH, {
      metadata: { name: 'ipam-operator', namespace: 'ipam-system' },
      spec: {
        holderIdentity: 'gone',
        leaseDurationSeconds: 15,
        renewTime: '2001-01-01T00:00:00.000000Z',
        leaseTransitions: 4,
      },
    });
    const election = elect('a');
    await settled();
    await pass(14_500);
    expect(election.leading()).toBe(false);
    await pass(2000);
    expect(election.leading()).toBe(true);
    expect(lease()).toMatchObject({ holderIdentity: 'a', leaseTransitions: 5 });
  });

  test('steps down at once when somebody else was put into the Lease, and takes it no sooner than others', async () => {
    const election = elect('a');
    await settled();
    server.put(PATH, { ...server.get(PATH)!, spec: { ...lease(), holderIdentity: 'usurper' } });
    await pass(2000);
    expect(happened).toEqual(['a leads', 'a stops']);
    await pass(14_000);
    expect(election.leading()).toBe(false);
    await pass(3000);
    expect(happened).toEqual(['a leads', 'a stops', 'a leads']);
  });

  test('makes the Lease anew when it was deleted', async () => {
    const election = elect('a');
    await settled();
    server.remove(PATH);
    await pass(6000);
    expect(lease()).toMatchObject({ holderIdentity: 'a' });
    expect(election.leading()).toBe(true);
    expect(happened).toEqual(['a leads']);
  });

  test('tells once that it may not read the Lease, and leads when it may', async () => {
    server.intercept = () => refusedWith(403, 'Forbidden');
    const election = elect('a');
    await pass(10_000);
    const lines = logger.lines.filter(({ level }) => level === 'warn');
    expect(lines).toEqual([
      {
        level: 'warn',
        message: 'the Lease cannot be read or written',
        fields: {
          lease: 'ipam-system/ipam-operator',
          code: 'cluster/unavailable',
          reason: 'Forbidden (status 403)',
        },
      },
    ]);
    server.intercept = () => undefined;
    await pass(2000);
    expect(election.leading()).toBe(true);
  });

  test('FU-70 names the namespace that is not there', async () => {
    server.intercept = ({ method }) => (method === 'POST' ? withoutNamespace('ipam-system') : undefined);
    elect('a');
    await pass(10_000);
    expect(logger.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields['reason'])).toEqual([
      expect.stringContaining('namespace "ipam-system" does not exist'),
    ]);
  });

  test('ends at once while it waits, and while a call hangs; leaves the Lease of another alone', async () => {
    elect('a');
    await settled();
    const candidate = elect('b');
    await settled();
    await candidate.close();
    expect(lease()).toMatchObject({ holderIdentity: 'a' });
    server.intercept = ({ signal }) => (signal === undefined ? undefined : new Promise(() => undefined));
    const hanging = elect('c');
    await settled();
    await hanging.close();
    await pass(1000);
    expect(happened).toEqual(['a leads']);
    expect(clock.waiting).toBeLessThanOrEqual(2);
  });

  test('gives back a Lease whose renewal was under way at the end', async () => {
    const election = elect('a');
    await settled();
    server.intercept = ({ method, signal }) =>
      method === 'PUT' && signal !== undefined ? new Promise(() => undefined) : undefined;
    await pass(2000);
    await election.close();
    expect(lease()).toMatchObject({ holderIdentity: '' });
  });
});
