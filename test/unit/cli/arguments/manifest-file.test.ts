import { servicesOf } from '../../../../operator/cli/arguments/manifest-file';
import { valueOf } from '../../../../operator/errors/ipam-error';

const service = (name: string, type = 'LoadBalancer'): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'shop' },
  spec: { type, ports: [{ port: 80 }] },
});
const textOf = (...objects: readonly object[]): string => objects.map((each) => JSON.stringify(each)).join('\n---\n');
const namesIn = (text: string): readonly string[] => valueOf(servicesOf(text)).map(({ name }) => name);
const BOMB = [
  'a0: &a0 [1, 1]',
  ...[1, 2, 3, 4, 5, 6, 7].map((at) => `a${at}: &a${at} [${`*a${at - 1}, `.repeat(9)}1]`),
].join('\n');

function refusedText(text: string): string {
  const found = servicesOf(text);
  return found.ok ? 'accepted' : `${found.refusal.code}: ${found.refusal.message}`;
}

describe('servicesOf', () => {
  test.each([
    ['documents in their order', textOf(service('b'), service('a')), ['b', 'a']],
    ['the items of a List', textOf({ kind: 'List', items: [service('a'), service('b')] }), ['a', 'b']],
    ['the items of a ServiceList', textOf({ kind: 'ServiceList', items: [service('a')] }), ['a']],
    ['those that want addresses', textOf(service('inside', 'ClusterIP'), service('a')), ['a']],
    ['nothing of other kinds', textOf({ kind: 'ConfigMap', metadata: { name: 'c' } }, service('a')), ['a']],
    [
      'YAML with an empty document',
      '---\n---\nkind: Service\nmetadata: {name: a}\nspec: {type: LoadBalancer}\n',
      ['a'],
    ],
  ])('finds %s', (_what, text, names) => {
    expect(namesIn(text)).toEqual(names);
  });

  test.each([
    ['', 'no Service is in it'],
    [textOf({ kind: 'Pod' }), 'no Service is in it'],
    [textOf(service('a', 'ClusterIP'), service('b', 'NodePort')), 'its 2 Services are not of type LoadBalancer'],
    ['a: [b', 'neither YAML nor JSON'],
  ])('refuses %j', (text, message) => {
    expect(refusedText(text)).toContain(message);
  });

  test.each([
    ['an alias without its anchor', 'kind: Service\nmetadata: *meta\n', 'Unresolved alias'],
    ['a merge key without its anchor', 'kind: Service\n<<: *base\n', 'Unresolved alias'],
    ['aliases that grow without bound', BOMB, 'Excessive alias count'],
  ])('FU-29 refuses %s as it refuses other malformed text', (_what, text, message) => {
    expect(refusedText(text)).toContain(`--manifest: it is neither YAML nor JSON (${message}`);
  });
});
