import type { ClaimObjectStore } from '../../../../operator/backends/claim-objects/claim-objects';
import { SYSTEM_CLOCK } from '../../../../operator/backends/system/system-clock';
import { listOf, mapOf, metadataOf } from '../../../../operator/contract/loose-json';
import { addressText, refusalOf, taken, taking, takingBoth } from '../../../support/claim-requests';
import { CLAIMS, TABLE } from '../../../support/claim-objects-scene';
import type { ManualClock } from '../../../support/manual-clock';
import { refusedWith, type MemoryApiClient } from '../../../support/memory-api-client';
import {
  claimServer,
  openClaims,
  standingClock,
  type OpenedClaims,
  type Opening,
} from '../../../support/open-claim-objects';

let clock: ManualClock;
let server: MemoryApiClient;
let opened: OpenedClaims[];

beforeEach(() => {
  clock = standingClock();
  server = claimServer(clock);
  opened = [];
});

afterEach(async () => {
  server.intercept = () => undefined;
  await Promise.all(opened.map((each) => each.close()));
});

async function open(opening: Opening = {}): Promise<ClaimObjectStore> {
  const claims = await openClaims(server, { clock, ...opening });
  opened.push(claims);
  return claims.store;
}

const decisions = (): readonly unknown[] => listOf(mapOf(server.get(TABLE)?.['spec'])['decisions']);
const FIRST = `${CLAIMS}/default.10.0.0.0`;
const inCluster = async (store: ClaimObjectStore): Promise<readonly string[]> =>
  (await store.list({ by: 'cluster', cluster: 'c1' })).map(addressText);

describe('a decision of which one write is refused', () => {
  // the claim of the second family is refused, so that of the first is to be undone
  const refuseSecond = (onDelete: () => ReturnType<typeof refusedWith> | undefined): void => {
    server.intercept = ({ method, path, body }) => {
      if (method === 'DELETE') return onDelete();
      const isSecond = method === 'POST' && path === CLAIMS && JSON.stringify(body).includes('2001:db8::');
      return isSecond ? refusedWith(403, 'Forbidden', 'not today') : undefined;
    };
  };

  test('leaves a claim in the lists that the cluster does not let it delete', async () => {
    const store = await open();
    refuseSecond(() => refusedWith(403, 'Forbidden', 'never'));
    expect(refusalOf(await store.take(takingBoth('a'))).code).toBe('cluster/refused');
    expect(server.get(FIRST)).toBeDefined();
    expect(await inCluster(store)).toEqual(['10.0.0.0']);
    server.intercept = () => undefined;
    expect(addressText(await taken(store, 'b'))).toBe('10.0.0.1');
  });

  test('deletes its claim although another program labelled it meanwhile', async () => {
    const store = await open();
    let labelled = 0;
    refuseSecond(() => {
      const object = server.get(FIRST);
      if (object === undefined || (labelled += 1) > 1) return undefined;
      server.put(FIRST, { ...object, metadata: { ...metadataOf(object), labels: { by: 'other' } } });
      return undefined;
    });
    expect(refusalOf(await store.take(takingBoth('a'))).code).toBe('cluster/refused');
    expect([server.get(FIRST), decisions(), labelled]).toEqual([undefined, [], 2]);
    expect(await inCluster(store)).toEqual([]);
  });
});

describe('a decision that could not be carried out', () => {
  const isClaimMade = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
    method === 'POST' && path === CLAIMS;

  test('is carried out by its own process without another call', async () => {
    server.nowMs = Date.now;
    const store = await open({ clock: SYSTEM_CLOCK, takeOverAfterMs: 300 });
    let failed = 0;
    server.intercept = (request) => {
      if (!isClaimMade(request) || (failed += 1) > 2) return undefined;
      return refusedWith(500, 'InternalError');
    };
    const told = new Promise((resolve) => store.watch(resolve));
    await expect(store.take(taking('a'))).rejects.toMatchObject({ code: 'cluster/unavailable' });
    expect(decisions()).toHaveLength(1);
    expect(await told).toMatchObject({ kind: 'taken' });
    await store.list({ by: 'cluster', cluster: 'c1' });
    expect([failed, decisions()]).toEqual([3, []]);
  });

  test('is carried out although the table cannot be read at first', async () => {
    server.nowMs = Date.now;
    const store = await open({ clock: SYSTEM_CLOCK, takeOverAfterMs: 300 });
    let unread = 0;
    server.intercept = (request) => {
      if (isClaimMade(request) && unread === 0) return refusedWith(500, 'InternalError');
      const isRead = request.method === 'GET' && request.path === TABLE && decisions().length > 0;
      return isRead && (unread += 1) <= 2 ? refusedWith(500, 'InternalError') : undefined;
    };
    const told = new Promise((resolve) => store.watch(resolve));
    await expect(store.take(taking('a'))).rejects.toMatchObject({ code: 'cluster/unavailable' });
    expect(await told).toMatchObject({ kind: 'taken' });
    expect(unread).toBe(3);
  });
});
