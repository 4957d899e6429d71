import type { ApiClient } from '../../operator/cluster/api/api-client';
import { startLeaseElection, type LeaseElection } from '../../operator/cluster/lease/lease-election';
import { LEASE, OPERATOR_NAMESPACE } from '../../operator/contract/group';
import { IpamError } from '../../operator/errors/ipam-error';
import type { Clock } from '../../operator/ports/clock';
import { SYSTEM_CLOCK } from '../../operator/backends/system/system-clock';
import { RecordedLogger } from '../support/recorded-telemetry';
import { eventually } from './support/eventually';
import { openOperatorClient } from './support/operator-client';
import { useControlPlane } from './support/use-control-plane';

const PATH = `/apis/coordination.k8s.io/v1/namespaces/${OPERATOR_NAMESPACE}/leases/${LEASE}`;
/** Fifteen seconds become four, which leaves a busy machine time for each renewal. */
const HASTE = 4;
const HASTY: Clock = {
  nowMs: () => SYSTEM_CLOCK.nowMs(),
  after: (ms, run) => SYSTEM_CLOCK.after(ms / HASTE, run),
};

let api: ApiClient;
let happened: string[] = [];

const plane = useControlPlane({
  prepare: async (plane) => {
    const store = { postgres: { connection: { name: 'dsn' } } };
    api = await openOperatorClient(plane, { store });
  },
});

/** The client of a process that can lose its network. */
function line(): ApiClient & { cut: boolean } {
  return {
    cut: false,
    request(request) {
      return this.cut ? Promise.reject(new IpamError('cluster/unavailable', 'cut')) : api.request(request);
    },
    stream: (request) => api.stream(request),
    close: () => Promise.resolve(),
  };
}

function elect(identity: string, client: ApiClient = api): LeaseElection {
  return startLeaseElection({
    client,
    namespace: OPERATOR_NAMESPACE,
    name: LEASE,
    identity,
    clock: HASTY,
    logger: new RecordedLogger(),
    monotonicMs: () => performance.now() * HASTE,
    onStarted: () => happened.push(`${identity} leads`),
    onStopped: () => {
      happened.push(`${identity} stops`);
    },
  });
}

const leaders = (all: readonly LeaseElection[]): number => all.filter((each) => each.leading()).length;

beforeEach(() => {
  happened = [];
});

describe('startLeaseElection on a real API server', () => {
  test('makes one of several lead, and the next one at once when it ends', async () => {
    const all = new Map(['a', 'b', 'c'].map((identity) => [identity, elect(identity)]));
    for (const left of [3, 2, 1]) {
      await eventually(() => leaders([...all.values()]) === 1);
      const [leader = ''] = [...all].find(([, each]) => each.leading()) ?? [];
      const { spec } = await plane().client.request('GET', PATH);
      expect(spec).toMatchObject({ holderIdentity: leader, leaseDurationSeconds: 15 });
      expect(happened).toHaveLength(1 + 2 * (3 - left));
      await all.get(leader)?.close();
      all.delete(leader);
    }
    const { spec } = await plane().client.request('GET', PATH);
    // the API server drops the empty text
    expect(spec?.['holderIdentity'] ?? '').toBe('');
  });

  test('lets another one lead when the leader loses its network, never both', async () => {
    const network = line();
    const first = elect('first', network);
    await eventually(() => first.leading());
    const second = elect('second');
    network.cut = true;
    await eventually(() => second.leading());
    expect(first.leading()).toBe(false);
    expect(happened).toEqual(['first leads', 'first stops', 'second leads']);
    network.cut = false;
    await Promise.all([first.close(), second.close()]);
    expect(happened).toEqual(['first leads', 'first stops', 'second leads', 'second stops']);
  });

  test('keeps what an administrator wrote on the Lease', async () => {
    await plane().client.request('PATCH', PATH, { metadata: { labels: { team: 'net' } } }, 'merge');
    const election = elect('new');
    await eventually(() => election.leading());
    const { metadata, spec } = await plane().client.request('GET', PATH);
    expect(metadata.labels).toEqual({ team: 'net' });
    expect(spec?.['renewTime']).toMatch(/\.\d{6}Z$/u);
    await election.close();
  });
});
