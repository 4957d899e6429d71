import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

import type { ZonesDocument } from '../../operator/contract/zones';
import { DoorWorld } from '../support/door-world';
import type { ServiceJson } from '../support/review-builder';

const examples = resolve(__dirname, '../../examples');
const zones = parse(readFileSync(`${examples}/cdk8s/application/zones.yaml`, 'utf8')) as ZonesDocument;

const ADDRESSES = 'ipam.vitistack.io/addresses';

const objectsOf = (file: string): readonly ServiceJson[] =>
  parseAllDocuments(readFileSync(`${examples}/manifests/${file}`, 'utf8')).map((each) => each.toJS() as ServiceJson);

/** Makes what a Service refers to. */
function prepare(world: DoorWorld, { kind, metadata: { name = '', namespace = '' }, ...object }: ServiceJson): void {
  if (kind === 'Namespace') world.cluster.putNamespace(name, {});
  if (kind !== 'Secret') return;
  const data = object['stringData'] as Readonly<Record<string, string>>;
  world.cluster.putSecret(namespace, name, { type: 'Opaque', data });
}

/** Lets everything of a file into a world, and gives the addresses by the names of the Services. */
async function addressesOf(file: string, world: DoorWorld): Promise<ReadonlyMap<string, unknown>> {
  const given = new Map<string, unknown>();
  for (const object of objectsOf(file)) {
    prepare(world, object);
    if (object.kind !== 'Service') continue;
    const { stored, denied } = await world.create(object);
    given.set(String(object.metadata.name), denied?.message ?? stored?.metadata.annotations?.[ADDRESSES]);
  }
  return given;
}

const dualStack = (): DoorWorld => new DoorWorld({ zones, families: [4, 6] });

describe('examples/manifests', () => {
  test('smallest.yaml gets an address of the default zone', async () => {
    expect(await addressesOf('smallest.yaml', dualStack())).toEqual(new Map([['shop', '172.16.8.16']]));
  });

  test('application.yaml gets public, private, fixed and anycast addresses', async () => {
    expect(await addressesOf('application.yaml', dualStack())).toEqual(
      new Map([
        ['web', '2a05:1234::1,83.118.168.1'],
        ['office', '172.16.8.16'],
        ['payments', '83.118.168.25'],
        ['nearest', '83.118.168.53'],
      ]),
    );
  });
});
