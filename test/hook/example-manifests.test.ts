import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

import { renderedManifests } from '../../constructs/render/manifests';
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

/** Zones of the installation as it is rendered. */
function renderedZones(): ZonesDocument {
  const documents = parseAllDocuments(renderedManifests()['install.yaml'] ?? '').map(
    (each) => each.toJS() as ServiceJson,
  );
  const config = documents.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'ipam-zones');
  return parse(String((config?.['data'] as Readonly<Record<string, string>>)['zones.yaml'])) as ZonesDocument;
}

describe('examples/manifests', () => {
  test('FU-63 service.yaml gets an address of the installation as it is rendered, and smallest.yaml says what it needs besides', async () => {
    const world = (): DoorWorld => new DoorWorld({ zones: renderedZones(), families: [4] });
    expect(await addressesOf('service.yaml', world())).toEqual(
      new Map([['shop', expect.stringMatching(/^192\.0\.2\.\d+$/u)]]),
    );
    expect(await addressesOf('smallest.yaml', world())).toEqual(new Map([['shop', undefined]]));
    expect(readFileSync(`${examples}/manifests/smallest.yaml`, 'utf8')).toContain('It needs a default zone');
  });

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
