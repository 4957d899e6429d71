import { egressSpec } from '../../../support/egress-kind-samples';
import { EgressWorld } from '../../../support/egress-world';
import { LateClient } from '../../../support/late-client';

const COUNT = 200;
const LATE_MS = 2_000;

let world: EgressWorld;
beforeEach(() => {
  world = new EgressWorld();
});
afterEach(() => world.close());

test('EG-case-11 two processes that both lead, with watches two seconds late, give 200 namespaces 200 addresses', async () => {
  const names = Array.from({ length: COUNT }, (_, index) => `n${String(index)}`);
  world.ipam('bm', { ...egressSpec({ CIDR: '10.0.0.0/24', labelValue: 'a' }), dataplane: 'none' });
  for (let process = 0; process < 2; process++) await world.open(new LateClient(world.server, LATE_MS));
  const twins: string[] = [];
  // looked at with every write, not at the end alone
  world.server.intercept = () => {
    const lists = names.map((name) => world.list(name)).filter((list) => list !== undefined);
    if (new Set(lists).size < lists.length) twins.push(JSON.stringify(lists));
    return undefined;
  };

  for (const name of names) world.namespace(name, 'bm');

  await world.until('all are served', () => names.every((name) => world.list(name) !== undefined));
  await world.recorded(...names.map((name) => `${String(world.list(name))}=${name}`));
  expect(twins).toEqual([]);
  expect(new Set(names.map((name) => world.list(name))).size).toBe(COUNT);
}, 60_000);
