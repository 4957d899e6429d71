import { prefixOf } from '../../../../operator/addressing/prefix';
import { mergeZones } from '../../../../operator/backends/netbox/merge-zones';
import type { NetBoxPrefix } from '../../../../operator/backends/netbox/netbox-records';
import { parseZones, type ZoneCatalogue, type ZoneProps } from '../../../../operator/contract/zones';

function fileOf(version: 1 | 2, zone: Partial<ZoneProps> = {}): ZoneCatalogue {
  const parsed = parseZones({ version, zones: [{ name: 'inet', prefixes: [], fromNetBox: true, ...zone }] });
  if (!parsed.ok) throw new TypeError(parsed.problems.map(({ message }) => message).join('; '));
  return parsed.value;
}

const container = (prefix: string, more: Partial<NetBoxPrefix> = {}): NetBoxPrefix => ({
  id: 1,
  prefix: prefixOf(prefix),
  status: 'container',
  zone: 'inet',
  mark: '',
  ...more,
});

function choosable(file: ZoneCatalogue, name: string): readonly string[] {
  const containers = [container('10.0.0.0/30'), container('10.0.1.0/30', { id: 2, isPool: true })];
  const { catalogue } = mergeZones(file, new Map([[name, { containers, gone: false }]]), new Map());
  return catalogue.zone(name)?.choosable.ranges().map(String) ?? [];
}

describe('FU-15 zones of NetBox', () => {
  const AVOIDED = ['10.0.0.1-10.0.0.2', '10.0.1.0-10.0.1.3'];
  const USED = ['10.0.0.0-10.0.0.3', '10.0.1.0-10.0.1.3'];

  test.each<{
    readonly what: string;
    readonly file: ZoneCatalogue;
    readonly name: string;
    readonly expected: readonly string[];
  }>([
    { what: 'a document of version 2', file: fileOf(2), name: 'inet', expected: AVOIDED },
    { what: 'a document of version 1', file: fileOf(1), name: 'inet', expected: USED },
    { what: 'an entry that says avoid', file: fileOf(1, { edgeAddresses: 'avoid' }), name: 'inet', expected: AVOIDED },
    { what: 'an entry that says use', file: fileOf(2, { edgeAddresses: 'use' }), name: 'inet', expected: USED },
    { what: 'a document of version 2 without an entry', file: fileOf(2), name: 'other', expected: AVOIDED },
    { what: 'a document of version 1 without an entry', file: fileOf(1), name: 'other', expected: USED },
  ])('under $what keep the edges of a prefix that is a pool', ({ file, name, expected }) => {
    expect(choosable(file, name)).toEqual(expected);
  });
});
