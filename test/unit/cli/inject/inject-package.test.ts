import { parse } from 'yaml';
import type { InjectionBackEnd, InjectionRequest } from '../../../../operator/cli/inject/back-ends/back-end';
import { injectPackage, plannedInjection, type InjectedPackage } from '../../../../operator/cli/inject/inject-package';
import type { PackageText } from '../../../../operator/cli/inject/package-nodes';
import { accept, refuse } from '../../../../operator/errors/outcome';
import { IpamError, valueOf } from '../../../../operator/errors/ipam-error';

const KPTFILE = `apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: upf   # the user plane
  annotations:
    config.kubernetes.io/local-config: "true"
info:
  readinessGates:
  - conditionType: foo.bar/Ready
pipeline: {}
`;

const allocation = (name: string, more = ''): string => `apiVersion: ipam.nephio.org/v1alpha1
kind: IPAllocation
metadata:
    name: ${name}   # of the interface
spec:
    kind: network
    selector:
        matchLabels: { nephio.org/network-instance: vpc-1,   nephio.org/network-name: net1 }
${more}`;

/** Gives the addresses of 10.0.1.0/24 in turn, and remembers by package and name. */
class BackEnd implements Pick<InjectionBackEnd, 'take' | 'release'> {
  readonly held = new Map<string, string>();
  readonly released: string[] = [];
  refuses: (request: InjectionRequest) => boolean = () => false;
  isAway = false;
  #next = 2;

  take(request: InjectionRequest) {
    if (this.isAway) return Promise.reject(new IpamError('cluster/unavailable', 'the API server\ndoes not answer'));
    if (this.refuses(request)) return Promise.resolve(refuse('pool/exhausted', 'nothing is free'));
    const key = `${request.owner.id} ${request.namespace}/${request.name}`;
    const prefix = this.held.get(key) ?? `10.0.1.${String(this.#next++)}/32`;
    this.held.set(key, prefix);
    return Promise.resolve(accept({ prefix, gateway: '10.0.1.1', parentPrefix: '10.0.1.0/24' }));
  }

  release({ namespace, name, owner }: Parameters<InjectionBackEnd['release']>[0]) {
    if (this.isAway) return Promise.reject(new IpamError('cluster/unavailable', 'the API server does not answer'));
    this.released.push(`${namespace}/${name}`);
    return Promise.resolve(accept(this.held.delete(`${owner.id} ${namespace}/${name}`)));
  }
}

const backEnd = (): BackEnd => new BackEnd();

async function run(texts: readonly PackageText[], by: BackEnd, more: object = {}): Promise<InjectedPackage> {
  return valueOf(await injectPackage(texts, { backEnd: by, freshId: () => 'id1', ...more }));
}

/** The package after a run. */
function after(texts: readonly PackageText[], { changed }: InjectedPackage): readonly PackageText[] {
  return texts.map((each) => changed.find(({ path }) => path === each.path) ?? each);
}

const textIn = (texts: readonly PackageText[], path: string): string =>
  texts.find((each) => each.path === path)?.text ?? '';

interface Kptfile {
  readonly info?: { readonly readinessGates?: readonly { readonly conditionType: string }[] };
  readonly status?: { readonly conditions?: readonly Readonly<Record<string, string>>[] };
}
const kptfileIn = (texts: readonly PackageText[]): Kptfile => parse(textIn(texts, 'Kptfile')) as Kptfile;
const conditionsIn = (texts: readonly PackageText[]) => kptfileIn(texts).status?.conditions ?? [];
const typeOf = (name: string, namespace = 'default'): string =>
  `ipam.nephio.org.IPAMAllocation.${name}.${namespace}.Injected`;

const KPT = { path: 'Kptfile', text: KPTFILE };
const N3 = { path: 'n3.yaml', text: allocation('n3') };
const TWO = { path: 'sub/two.yaml', text: `${allocation('n4')}---\nkind: ConfigMap\n---\n${allocation('n6')}` };
const PACKAGE = [KPT, N3, TWO];

describe('a run', () => {
  test('changes nothing but the status of each IPAllocation, and conditions, gates and id in the Kptfile', async () => {
    const done = await run(PACKAGE, backEnd());
    const texts = after(PACKAGE, done);
    const status = (last: number): string =>
      `status:\n  prefix: 10.0.1.${String(last)}/32\n  gateway: 10.0.1.1\n  parentPrefix: 10.0.1.0/24\n`;
    expect(textIn(texts, 'n3.yaml')).toBe(N3.text + status(2));
    expect(textIn(texts, 'sub/two.yaml')).toBe(
      `${allocation('n4')}${status(3)}---\nkind: ConfigMap\n---\n${allocation('n6')}${status(4)}`,
    );
    const types = ['n3', 'n4', 'n6'].map((name) => typeOf(name));
    expect(conditionsIn(texts)).toEqual(
      types.map((type) => ({ type, status: 'True', reason: 'ResourceInjected', message: 'Injected IP allocation' })),
    );
    expect(kptfileIn(texts).info?.readinessGates).toEqual(
      ['foo.bar/Ready', ...types].map((conditionType) => ({ conditionType })),
    );
    const lines = textIn(texts, 'Kptfile').split('\n');
    for (const line of KPTFILE.split('\n')) expect(lines).toContain(line);
    expect(textIn(texts, 'Kptfile')).toMatch(/^ {4}ipam\.vitistack\.io\/package-id: id1\.[0-9a-f]{8}$/mu);
  });

  test('changes no byte the second time', async () => {
    const by = backEnd();
    const texts = after(PACKAGE, await run(PACKAGE, by));
    const again = await run(texts, by, { freshId: () => 'another' });
    expect(again.changed).toEqual([]);
    expect(again.results.map(({ outcome }) => outcome)).toEqual(['given', 'given', 'given']);
  });

  test('goes on where one IPAllocation is refused, and says why in its condition', async () => {
    const by = backEnd();
    by.refuses = ({ name }) => name === 'n4';
    const broken = {
      path: 'bad.yaml',
      text: allocation('bad').replace('kind: network\n', 'kind: network\n    prefixLength: 28\n'),
    };
    const texts = [...PACKAGE, broken];
    const done = await run(texts, by);
    expect(done.results.map(({ name, outcome }) => [name, outcome])).toEqual([
      ['n3', 'given'],
      ['n4', 'failed'],
      ['n6', 'given'],
      ['bad', 'failed'],
    ]);
    expect(conditionsIn(after(texts, done))).toMatchObject([
      { type: typeOf('n3'), status: 'True' },
      { type: typeOf('n4'), status: 'False', reason: 'ErrorDuringInjection', message: 'nothing is free' },
      { type: typeOf('n6'), status: 'True' },
      {
        type: typeOf('bad'),
        status: 'False',
        reason: 'ResourceSpecErr',
        message: expect.stringContaining('spec.prefixLength') as string,
      },
    ]);
  });

  test('keeps what was given while the back end is away, and tells it in one line', async () => {
    const by = backEnd();
    const texts = after(PACKAGE, await run(PACKAGE, by));
    by.isAway = true;
    const later = after(texts, await run(texts, by));
    expect(textIn(later, 'n3.yaml')).toBe(textIn(texts, 'n3.yaml'));
    expect(conditionsIn(later)[0]).toMatchObject({ status: 'False', message: 'the API server does not answer' });
    by.isAway = false;
    expect(after(later, await run(later, by))).toEqual(texts);
  });

  test('asks for wished prefixes first, and tells all in the order of the package', async () => {
    const by = backEnd();
    const wish = { path: 'wish.yaml', text: allocation('wish', '    prefix: 10.0.1.2/24\n') };
    const done = await run([KPT, N3, wish], by);
    expect([...by.held.keys()]).toEqual(['id1 default/wish', 'id1 default/n3']);
    expect(done.results.map(({ name }) => name)).toEqual(['n3', 'wish']);
  });

  test('takes nothing for a name that stands twice', async () => {
    const by = backEnd();
    const done = await run([KPT, N3, { path: 'copy.yaml', text: allocation('n3') }], by);
    expect(done.results).toMatchObject([{ outcome: 'failed' }, { outcome: 'failed' }]);
    expect(by.held.size).toBe(0);
  });

  test('reads the namespace of an IPAllocation', async () => {
    const text = allocation('a.b').replace('metadata:\n', 'metadata:\n    namespace: core\n');
    const texts = [KPT, { path: 'a.yaml', text }];
    const by = backEnd();
    const first = after(texts, await run(texts, by));
    expect(conditionsIn(first)).toMatchObject([{ type: typeOf('a.b', 'core') }]);
    await run([first[0] ?? KPT], by);
    expect(by.released).toEqual(['core/a.b']);
  });
});

describe('what left the package', () => {
  test('is released, with its condition and its gate', async () => {
    const by = backEnd();
    const [kptfile = KPT, ...others] = after(PACKAGE, await run(PACKAGE, by));
    const left = [kptfile, ...others.filter(({ path }) => path !== 'n3.yaml')];
    const done = await run(left, by);
    expect(by.released).toEqual(['default/n3']);
    expect(done.results).toContainEqual({ namespace: 'default', name: 'n3', outcome: 'released' });
    const texts = after(left, done);
    expect(conditionsIn(texts).map(({ type }) => type)).toEqual(['n4', 'n6'].map((name) => typeOf(name)));
    expect(kptfileIn(texts).info?.readinessGates).toEqual(
      ['foo.bar/Ready', typeOf('n4'), typeOf('n6')].map((conditionType) => ({ conditionType })),
    );
    expect((await run(texts, by)).changed).toEqual([]);
  });

  test('leaves the Kptfile as it was where it was everything', async () => {
    const by = backEnd();
    const [kptfile = KPT] = after(PACKAGE, await run(PACKAGE, by));
    const texts = after([kptfile], await run([kptfile], by));
    expect(by.held.size).toBe(0);
    expect(parse(textIn(texts, 'Kptfile'))).toMatchObject({
      info: { readinessGates: [{ conditionType: 'foo.bar/Ready' }] },
    });
    expect(conditionsIn(texts)).toEqual([]);
  });

  test('is tried again where it could not be released', async () => {
    const by = backEnd();
    const [kptfile = KPT] = after([KPT, N3], await run([KPT, N3], by));
    by.isAway = true;
    const failed = after([kptfile], await run([kptfile], by));
    expect(conditionsIn(failed)).toMatchObject([
      { status: 'False', message: expect.stringMatching(/^not released: /u) as string },
    ]);
    by.isAway = false;
    await run(failed, by);
    expect(by.held.size).toBe(0);
  });

  test('stays while a file of the package cannot be read, since that may hold it', async () => {
    const by = backEnd();
    const [kptfile = KPT] = after([KPT, N3], await run([KPT, N3], by));
    const texts = [kptfile, { path: 'n3.yaml', text: 'a: [' }];
    const done = await run(texts, by);
    expect(by.released).toEqual([]);
    expect(done.notes[0]).toContain('n3.yaml');
    expect(conditionsIn(after(texts, done))).toMatchObject([{ type: typeOf('n3'), status: 'False' }]);
    await run([kptfile], by);
    expect(by.released).toEqual(['default/n3']);
  });
});

describe('the id of a package', () => {
  test('is stored before anything is taken, where that is possible', async () => {
    const by = backEnd();
    const stored: string[] = [];
    const storeFirst = (changed: readonly PackageText[]) => {
      expect(by.held.size).toBe(0);
      stored.push(...changed.map(({ path, text }) => `${path}: ${String(/package-id: (\w+)/u.exec(text)?.[1])}`));
      return Promise.resolve(accept(undefined));
    };
    const first = await run(PACKAGE, by, { storeFirst });
    expect(stored).toEqual(['Kptfile: id1']);
    await run(after(PACKAGE, first), by, { storeFirst });
    expect(stored).toHaveLength(1);
  });

  test('ends the run before anything is taken, where it cannot be stored', async () => {
    const by = backEnd();
    const storeFirst = () => Promise.resolve(refuse('store/conflict', 'Kptfile was changed'));
    const refused = await injectPackage(PACKAGE, { backEnd: by, storeFirst });
    expect(refused).toMatchObject({ refusal: { code: 'store/conflict' } });
    expect(by.held.size).toBe(0);
  });

  test.each([
    ['another name', (text: string) => text.replace('name: upf', 'name: upf-copy')],
    ['another upstream', (text: string) => `${text}upstream:\n  git: { repo: x, directory: /upf, ref: v1 }\n`],
  ])('is a new one in a copy with %s, which has and releases nothing of the first', async (_what, copied) => {
    const by = backEnd();
    const texts = after(PACKAGE, await run(PACKAGE, by));
    const copy = texts
      .filter(({ path }) => path !== 'n3.yaml')
      .map(({ path, text }) => ({ path, text: path === 'Kptfile' ? copied(text) : text }));
    by.refuses = ({ owner, name }) => owner.id === 'id2' && name === 'n4';
    const done = await run(copy, by, { freshId: () => 'id2' });
    expect(by.released).toEqual([]);
    expect(done.notes).toEqual([expect.stringContaining('nothing was released')]);
    const later = after(copy, done);
    // the address of the first package goes, also where the copy gets none
    expect(textIn(later, 'sub/two.yaml')).not.toMatch(/10\.0\.1\.[34]\//u);
    expect(conditionsIn(later).map(({ type }) => type)).toEqual(['n4', 'n6'].map((name) => typeOf(name)));
    expect([...by.held].filter(([key]) => key.startsWith('id1'))).toHaveLength(3);
  });

  test('is the given one where the Kptfile lost it', async () => {
    const by = backEnd();
    const texts = after(PACKAGE, await run(PACKAGE, by));
    const lost = texts.map(({ path, text }) => ({ path, text: text.replace(/.*package-id.*\n/u, '') }));
    const again = after(lost, await run(lost, by, { packageId: 'id1', freshId: () => 'id2' }));
    expect(by.held.size).toBe(3);
    expect(again).toEqual(texts);
  });
});

describe('a ResourceList', () => {
  const indented = (text: string): string => text.replaceAll(/^(?=.)/gmu, '    ').replace(/^ {4}/u, '  - ');
  const withPath = (text: string, path: string): string =>
    text.includes('annotations:')
      ? text.replace('annotations:\n', `annotations:\n    internal.config.kubernetes.io/path: ${path}\n`)
      : text.replace('metadata:\n', `metadata:\n    annotations: { internal.config.kubernetes.io/path: ${path} }\n`);
  const list = `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n${indented(withPath(KPTFILE, 'Kptfile'))}${indented(withPath(N3.text, 'n3.yaml'))}functionConfig:\n  kind: ConfigMap # mine\n`;

  test('is filled like a folder', async () => {
    const texts = [{ path: 'in', text: list }];
    const done = await run(texts, backEnd());
    const text = textIn(after(texts, done), 'in');
    expect(parse(text)).toMatchObject({
      items: [
        { kind: 'Kptfile', status: { conditions: [{ type: typeOf('n3'), status: 'True' }] } },
        { kind: 'IPAllocation', status: { prefix: '10.0.1.2/32' } },
      ],
      functionConfig: { kind: 'ConfigMap' },
    });
    expect(done.results).toMatchObject([{ node: { file: 'n3.yaml' } }]);
    const lines = text.split('\n');
    for (const line of list.split('\n')) expect(lines).toContain(line);
  });
});

describe('a package', () => {
  test.each([
    ['without a Kptfile', [N3], 'package/no-kptfile'],
    ['whose Kptfile is in a folder', [{ ...KPT, path: 'sub/Kptfile' }], 'package/no-kptfile'],
    ['whose Kptfile cannot be read', [{ ...KPT, text: 'a: [' }], 'package/malformed'],
    [
      'that is published',
      [
        KPT,
        {
          path: 'r.yaml',
          text: 'apiVersion: porch.kpt.dev/v1alpha1\nkind: PackageRevision\nspec: { lifecycle: Published }\n',
        },
      ],
      'package/published',
    ],
  ])('%s is left alone', async (_what, texts, code) => {
    const refused = await injectPackage(texts, { backEnd: backEnd() });
    expect(refused).toMatchObject({ ok: false, refusal: { code } });
  });

  test('tells what a run would do', async () => {
    expect(plannedInjection(PACKAGE, {})).toMatchObject({
      value: { package: 'upf', taken: [{ name: 'n3' }, { name: 'n4' }, { name: 'n6' }], released: [] },
    });
    const texts = after(PACKAGE, await run(PACKAGE, backEnd()));
    const left = texts.filter(({ path }) => path !== 'n3.yaml');
    expect(plannedInjection(left, {})).toMatchObject({ value: { released: [{ namespace: 'default', name: 'n3' }] } });
  });
});
