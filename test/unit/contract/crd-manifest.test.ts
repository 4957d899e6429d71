import { crdManifest, type KindDeclaration } from '../../../operator/contract/crd-manifest';
import { ADDRESS_CLAIM } from '../../../operator/contract/kinds/address-claim';
import { ADDRESS_TABLE } from '../../../operator/contract/kinds/address-table';

type Json = Readonly<Record<string, unknown>>;

interface Place {
  readonly path: string;
  readonly schema: Json;
}

/** Every schema of a CRD with the path of the field. */
function places(schema: Json, path = ''): readonly Place[] {
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Json>>);
  const items = schema['items'] as Json | undefined;
  const values = schema['additionalProperties'] as Json | undefined;
  return [
    { path, schema },
    ...properties.flatMap(([name, property]) => places(property, `${path}.${name}`)),
    ...(items === undefined ? [] : places(items, `${path}[]`)),
    ...(values === undefined ? [] : places(values, `${path}{}`)),
  ];
}

/** The parts of a CRD that tests look at. */
function partsOf(kind: KindDeclaration<never>) {
  const manifest = crdManifest(kind);
  const [version] = (manifest.spec as { versions: [Json] }).versions;
  const { openAPIV3Schema } = version['schema'] as { openAPIV3Schema: Json };
  const all = places(openAPIV3Schema);
  const ours = all.filter(({ path }) => !['', '.apiVersion', '.kind', '.metadata'].includes(path));
  return { manifest, version, all, ours };
}

const { manifest, version, all } = partsOf(ADDRESS_CLAIM);

describe('crdManifest', () => {
  test('writes a cluster-scoped CRD with status, columns and one storage version', () => {
    expect(manifest).toMatchObject({
      metadata: { name: 'addressclaims.ipam.vitistack.io' },
      spec: {
        group: 'ipam.vitistack.io',
        scope: 'Cluster',
        names: { kind: 'AddressClaim', listKind: 'AddressClaimList', categories: ['ipam-record'] },
      },
    });
    expect(version).toMatchObject({ name: 'v1alpha1', served: true, storage: true, subresources: { status: {} } });
    expect(manifest.metadata).not.toHaveProperty('namespace');
  });

  test('leaves out categories of a kind that has none', () => {
    const { names } = crdManifest({ ...ADDRESS_CLAIM, categories: [] }).spec as { names: Json };
    expect(names).not.toHaveProperty('categories');
  });

  test('has columns over fields that exist', () => {
    const paths = new Set(all.map(({ path }) => path));
    const columns = version['additionalPrinterColumns'] as readonly { jsonPath: string }[];
    const missing = columns.map(({ jsonPath }) => jsonPath).filter((path) => !paths.has(path));
    expect(missing).toEqual(['.metadata.creationTimestamp']);
  });

  test('says each rule at its place, with the field at fault in the message', () => {
    const rules = all.flatMap(({ path, schema }) =>
      ((schema['x-kubernetes-validations'] ?? []) as readonly { rule: string; message: string }[]).map((each) => [
        path,
        each.message,
      ]),
    );
    expect(rules).toHaveLength(ADDRESS_CLAIM.rules.length);
    expect(rules).toContainEqual(['', expect.stringMatching(/^metadata\.name must be </)]);
    expect(rules).toContainEqual(['.spec', expect.stringMatching(/^spec\.until must be /)]);
    expect(rules).toContainEqual(['.spec.network', expect.stringMatching(/^must stay /)]);
  });

  test('has short names that nobody else has', () => {
    const taken = ['ip', 'ips', 'ipaddr', 'ipaddress', 'ipclaim', 'ipclaims', 'ippool', 'ac', 'claim', 'pvc', 'rc'];
    const names = [...ADDRESS_CLAIM.shortNames, ...ADDRESS_TABLE.shortNames];
    expect(names.filter((name) => taken.includes(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe.each([ADDRESS_CLAIM, ADDRESS_TABLE])('crdManifest of $kind', (kind) => {
  const { all, ours } = partsOf(kind);

  test('bounds every text, list and map, so that CEL stays in its budget', () => {
    const unbounded = ours.filter(({ schema }) => {
      if (schema['type'] === 'string') return schema['maxLength'] === undefined && schema['enum'] === undefined;
      if (schema['type'] === 'array') return schema['maxItems'] === undefined;
      return schema['additionalProperties'] !== undefined && schema['maxProperties'] === undefined;
    });
    expect(unbounded.map(({ path }) => path)).toEqual([]);
  });

  test('uses nothing that a structural schema must not have', () => {
    const forbidden = ['const', 'anyOf', 'oneOf', 'allOf', '$ref', '$id'];
    const wrong = all.filter(
      ({ schema }) =>
        forbidden.some((key) => key in schema) || ('properties' in schema && 'additionalProperties' in schema),
    );
    expect(wrong).toEqual([]);
    expect(all.filter(({ schema }) => typeof schema['type'] !== 'string')).toEqual([]);
  });

  test('describes every field for kubectl explain', () => {
    const values = ours.filter(({ path }) => !/[\]}]$/.test(path));
    expect(values.filter(({ schema }) => typeof schema['description'] !== 'string').map(({ path }) => path)).toEqual(
      [],
    );
  });

  test('has no two fields that differ in case only, which generators cannot tell apart', () => {
    const paths = all.map(({ path }) => path.toLowerCase());
    expect(new Set(paths).size).toBe(paths.length);
  });
});
