import fc from 'fast-check';
import { IPAM, METALLB } from '../../operator/contract/group';
import type { ZonesDocument } from '../../operator/contract/zones';
import { reportVerdict } from '../../operator/reviews/report-verdict';
import { deny } from '../../operator/reviews/verdict';
import { DoorWorld, type Result } from '../support/door-world';
import { service, type ServiceJson } from '../support/review-builder';

const ZONES: ZonesDocument = {
  version: 1,
  services: { defaultZone: 'small' },
  zones: [
    { name: 'small', prefixes: ['10.0.0.0/29', '2001:db8::/125'], excluded: ['10.0.0.7'], quarantineSeconds: 60 },
    { name: 'quota', prefixes: ['10.1.0.0/24', '2001:db8:1::/120'], quota: 3 },
    { name: 'closed', prefixes: ['10.2.0.0/24'], namespaces: { matchLabels: { team: 'x' } } },
    { name: 'leaving', prefixes: ['10.3.0.0/24'], draining: true },
  ],
};

async function world(): Promise<DoorWorld> {
  const made = new DoorWorld({ zones: ZONES, families: [4, 6] });
  for (const namespace of ['a', 'b']) {
    made.cluster.putSecret(namespace, 'mine', { type: 'Opaque', data: { secret: 'a-secret-of-both' } });
    made.cluster.putSecret(namespace, 'other', { type: 'Opaque', data: { secret: `only-of-${namespace}-here` } });
    await made.cluster.namespace(namespace);
  }
  return made;
}

interface Wishes {
  readonly zone?: string | undefined;
  readonly address?: string | undefined;
  readonly family?: string | undefined;
  readonly secret?: string | undefined;
  readonly key?: string | undefined;
  readonly days?: string | undefined;
}

function keysOf({ zone, address, family, secret, key, days }: Wishes): Record<string, string> {
  const keys = {
    [IPAM.zone]: zone,
    [IPAM.addresses]: address,
    [IPAM.ipFamily]: family,
    [IPAM.secret]: secret,
    [IPAM.allowLocalSharedIp]: key,
    [IPAM.retentionPeriodDays]: days,
  };
  return Object.fromEntries(
    Object.entries(keys).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

const maybe = (...values: readonly string[]): fc.Arbitrary<string | undefined> =>
  fc.constantFrom(undefined, undefined, ...values);

const wishes: fc.Arbitrary<Wishes> = fc.record({
  zone: maybe('small', 'small', 'quota', 'closed', 'leaving', 'nowhere'),
  address: maybe('10.0.0.2', '10.0.0.3', '10.0.0.7', '10.1.0.4', '2001:db8::3', '192.0.2.9', 'nonsense'),
  family: maybe('ipv4', 'ipv6', 'dual', 'ipv5'),
  secret: maybe('mine', 'other', 'missing'),
  key: maybe('k', 'l'),
  days: maybe('3', '99'),
});

const steps = fc.array(
  fc.record({
    name: fc.constantFrom('one', 'two', 'three', 'four'),
    namespace: fc.constantFrom('a', 'b'),
    how: fc.constantFrom('apply', 'replace', 'bind'),
    port: fc.constantFrom(80, 81),
    wishes,
  }),
  { minLength: 1, maxLength: 10 },
);

type StepOf = typeof steps extends fc.Arbitrary<(infer S)[]> ? S : never;

/** Of two new addresses the dry run knows one; the old pair must not stand beside it. */
const MOVED_TO_ONE_NAMED: StepOf[] = [
  { name: 'three', namespace: 'a', how: 'apply', port: 80, wishes: { address: '10.1.0.4', family: 'dual' } },
  { name: 'three', namespace: 'a', how: 'apply', port: 80, wishes: { address: '2001:db8::3', zone: 'small' } },
];

/** Makes the request of the step to the API server; a Service keeps its namespace. */
function requestOf(
  door: DoorWorld,
  { name, namespace, how, port, wishes: wanted }: StepOf,
): { readonly operation: 'CREATE' | 'UPDATE'; readonly object: ServiceJson; readonly oldObject?: ServiceJson } {
  const spec = { ports: [{ port, protocol: 'TCP' }] };
  const before = storedOrNone(door, name);
  if (before === undefined) {
    return { operation: 'CREATE', object: service(keysOf(wanted), spec, { name, namespace }) };
  }
  const object = structuredClone(before);
  const kept = how === 'replace' ? {} : object.metadata.annotations;
  object.metadata.annotations = { ...kept, ...keysOf(wanted) };
  object.spec = { ...object.spec, ...spec };
  return { operation: 'UPDATE', object, oldObject: before };
}

function storedOrNone(door: DoorWorld, name: string): ServiceJson | undefined {
  try {
    return door.stored(name);
  } catch {
    return undefined;
  }
}

function annotationsOf({ stored }: Result): Record<string, string> {
  return stored?.metadata.annotations ?? {};
}

describe('FU-18 a dry run', () => {
  test('is judged as the real call, in its words, and changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (program) => {
        const door = await world();
        for (const step of program) {
          if (step.how === 'bind') {
            if (storedOrNone(door, step.name) !== undefined) await door.bind(step.name);
            continue;
          }
          const request = requestOf(door, step);
          const writes = door.store.writes;
          const dry = await door.dryRun(request);
          expect(door.store.writes).toBe(writes);
          const real = await door.really(request);
          expect(dry.denied).toEqual(real.denied);
          const shown = annotationsOf(dry);
          // whatever is shown is what the real call stores
          expect(annotationsOf(real)).toMatchObject(shown);
        }
      }),
      { numRuns: 150, examples: [[MOVED_TO_ONE_NAMED]] },
    );
  });

  test('makes no Secret of the cluster', async () => {
    const door = await world();
    await door.dryRun({ operation: 'CREATE', object: service({ [IPAM.zone]: 'quota' }) });
    expect(await door.cluster.secret('ipam-system', 'default')).toBeUndefined();
  });

  test('shows a replaced Service with the keys that the real call puts back', async () => {
    const door = await world();
    await door.create(service({ [IPAM.zone]: 'quota' }));
    await door.bind('web');
    const before = door.stored('web');
    const object = { ...structuredClone(before), metadata: { ...before.metadata, annotations: {} } };
    const dry = await door.dryRun({ operation: 'UPDATE', object, oldObject: before });
    expect(annotationsOf(dry)).toEqual(before.metadata.annotations);
  });

  test('shows no address that is only free at the moment, and one that the user names', async () => {
    const door = await world();
    const free = annotationsOf(await door.dryRun({ operation: 'CREATE', object: service({ [IPAM.zone]: 'quota' }) }));
    expect([free[IPAM.zone], free[METALLB.pool], free[IPAM.addresses], free[METALLB.addresses]]).toEqual([
      'quota',
      'quota',
      undefined,
      undefined,
    ]);
    const wish = service({ [IPAM.zone]: 'quota', [IPAM.addresses]: '10.1.0.9' });
    expect(annotationsOf(await door.dryRun({ operation: 'CREATE', object: wish }))[METALLB.addresses]).toBe('10.1.0.9');
  });

  test('counts under words of its own, and a wrong secret like a real try', async () => {
    const door = await world();
    await door.create(service({ [IPAM.zone]: 'quota', [IPAM.addresses]: '10.1.0.9', [IPAM.secret]: 'mine' }));
    door.meter.clear('admission_requests_total');
    const held = { [IPAM.zone]: 'quota', [IPAM.addresses]: '10.1.0.9' };
    const object = service(held, {}, { name: 'thief', namespace: 'b' });
    await door.dryRun({ operation: 'CREATE', object });
    await door.dryRun({ operation: 'CREATE', object: service({ [IPAM.zone]: 'quota' }, {}, { name: 'new' }) });
    expect(door.meter.of('admission_requests_total').map(({ labels }) => labels['verdict'])).toEqual([
      'dry-run-denied',
      'dry-run-allowed',
      'dry-run-allowed',
    ]);
    expect(door.meter.of('refusals_total')).toEqual([]);
    const answered = {
      path: '/x',
      operation: 'CREATE',
      namespace: 'a',
      name: 'web',
      seconds: 0,
      dryRun: true,
      subject: 'service',
    };
    reportVerdict(door, answered, deny({ code: 'secret/wrong', message: 'no' }));
    expect(door.meter.of('refusals_total')).toHaveLength(1);
  });

  test('counts both addresses of one Service against a limit, like the real call', async () => {
    const door = await world();
    for (const name of ['one', 'two']) await door.create(service({ [IPAM.zone]: 'quota' }, {}, { name }));
    const object = service({ [IPAM.zone]: 'quota', [IPAM.ipFamily]: 'dual' });
    const dry = await door.dryRun({ operation: 'CREATE', object });
    const real = await door.really({ operation: 'CREATE', object });
    expect(dry.denied?.message).toContain('quota of 3');
    expect(dry.denied).toEqual(real.denied);
  });
});
