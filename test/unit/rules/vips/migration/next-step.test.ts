import { VIRTUAL_IP_STATES as STATES } from '../../../../../operator/contract/kinds/virtual-ip';
import { nextStep } from '../../../../../operator/rules/vips/migration/next-step';
import { ADDRESS, MigrationModel, PLAIN } from '../../../../support/migration-model';

const WHOLE = [
  ...[STATES.preparing, STATES.reassociating, 'hand-over', STATES.cleaningUp, 'let-go', 'delete-clone'],
  ...[STATES.converting, 'convert', STATES.assigning, 'clear-request', 'finish', STATES.migrated],
];
const MIGRATED = { state: STATES.migrated, finalizers: [], isMarkedMigrated: true };

/** Checks what is so at the end of every migration. */
function expectMigrated(model: MigrationModel): void {
  expect(model.virtualIp).toMatchObject(MIGRATED);
  expect(model.service).toMatchObject({ isLoadBalancer: true, shown: [ADDRESS], isAddressRequested: false });
  expect([model.clone, model.holder]).toEqual(['none', expect.objectContaining({ kind: 'service', isBound: true })]);
}

test('VIP-T53 takes every step once and in order', () => {
  const model = new MigrationModel();
  expect(model.walk()).toEqual(WHOLE);
  expectMigrated(model);
});

test('VIP-T54 leaves a wish of the user as it is', () => {
  const model = new MigrationModel({ isAddressWished: true });
  expect(model.walk()).toEqual(WHOLE.filter((each) => each !== 'clear-request'));
});

test('VIP-T60 puts the finalizer on that a backup lost, and passes over a copy that is gone', () => {
  const model = new MigrationModel({ finalizers: [] });
  model.clone = 'none';
  expect(model.walk()).toEqual([
    STATES.preparing,
    'hold',
    ...WHOLE.slice(1).filter((each) => !['let-go', 'delete-clone'].includes(each)),
  ]);
  expectMigrated(model);
});

describe('something in the way, at each step', () => {
  type Obstacle = readonly [string, (model: MigrationModel) => () => void];
  const OBSTACLES: readonly Obstacle[] = [
    [
      'the Service is gone and comes back',
      (model) => {
        const before = model.service;
        model.service = undefined;
        return () => {
          model.service = before;
        };
      },
    ],
    [
      'another holder has the address',
      (model) => {
        const before = model.holder;
        model.holder = { kind: 'other', name: 'Service test/other' };
        return () => {
          model.holder = before;
        };
      },
    ],
    [
      'the group is gone',
      (model) => {
        model.group = undefined;
        return () => {
          model.group = 'ipgroup-1';
        };
      },
    ],
    [
      'the Service was made anew',
      (model) => {
        if (model.holder.kind === 'service') model.holder = { ...model.holder, isBound: false };
        model.service = model.service && PLAIN;
        return () => undefined;
      },
    ],
    [
      'the IP was deleted by hand',
      (model) => {
        model.holder = { kind: 'none' };
        return () => undefined;
      },
    ],
  ];

  test.each(OBSTACLES)('W27 %s: it is never called migrated too early, and goes on where it stopped', (_what, put) => {
    for (let steps = 0; steps < WHOLE.length - 3; steps++) {
      const model = new MigrationModel();
      model.walk(steps);
      const take = put(model);
      model.walk();
      const state = model.virtualIp?.state ?? '';
      const isServed = model.service?.shown.includes(ADDRESS) === true && model.clone === 'none';
      expect([STATES.error, STATES.assigning, isServed ? STATES.migrated : '']).toContain(state);
      expect(model.walk()).toEqual([]);
      take();
      // a type that was changed back is changed by the user alone
      if (model.virtualIp?.condition?.reason === 'ServiceChangedBack')
        model.service = { ...PLAIN, isLoadBalancer: true };
      model.walk();
      expectMigrated(model);
    }
  });

  test('the copy never goes before the record is the one of the stored Service', () => {
    for (let steps = 0; steps < WHOLE.length; steps++) {
      const model = new MigrationModel();
      model.walk(steps);
      if (model.holder.kind === 'service') model.holder = { ...model.holder, isBound: false };
      const facts = model.facts();
      expect(facts === undefined ? '' : nextStep(facts).act).not.toBe('delete-clone');
    }
  });
});

describe('W30 a deletion', () => {
  test('waits for the end of the migration at each step, and frees nothing', () => {
    for (let steps = 0; steps < WHOLE.length - 1; steps++) {
      const model = new MigrationModel();
      model.walk(steps);
      model.change({ isDying: true });
      expect(model.walk()).not.toContain('release');
      expect(model.virtualIp?.finalizers ?? []).toEqual([]);
      expect([model.clone, model.service?.shown]).toEqual(['none', [ADDRESS]]);
    }
  });

  test.each(['none', 'dry-run'] as const)('gives everything back with the order %s', (order) => {
    const model = new MigrationModel({ order, isDying: true });
    expect(model.walk()).toEqual(['delete-clone', 'release', 'let-go', 'let-go']);
    expect([model.virtualIp, model.service]).toEqual([undefined, PLAIN]);
  });

  test('gives everything back where the Service is gone as well, at each step', () => {
    for (let steps = 0; steps < WHOLE.length - 5; steps++) {
      const model = new MigrationModel();
      model.walk(steps);
      model.service = undefined;
      model.change({ isDying: true });
      model.walk();
      expect([model.virtualIp, model.clone, model.holder]).toEqual([undefined, 'none', { kind: 'none' }]);
    }
  });

  test('ends where the type was changed back and nothing else can end it', () => {
    const model = new MigrationModel();
    model.walk(WHOLE.indexOf(STATES.assigning) + 1);
    model.service = PLAIN;
    model.walk();
    expect(model.virtualIp).toMatchObject({ state: STATES.error, condition: { reason: 'ServiceChangedBack' } });
    model.change({ isDying: true });
    model.walk();
    expect(model.virtualIp).toBeUndefined();
  });
});

describe('R26 a rollback', () => {
  const early = WHOLE.indexOf(STATES.cleaningUp);

  test('leads back from each step before the copy goes', () => {
    for (let steps = 0; steps <= early; steps++) {
      const model = new MigrationModel();
      model.walk(steps);
      model.change({ order: 'rollback' });
      model.walk();
      expect(model.virtualIp).toMatchObject({ state: STATES.valid, order: 'none' });
      expect([model.clone, model.holder, model.service]).toEqual(['stored', { kind: 'virtual-ip' }, PLAIN]);
      expect(model.virtualIp?.finalizers).toHaveLength(2);
    }
  });

  test('comes too late after that, and the migration ends', () => {
    for (let steps = early + 1; steps < WHOLE.length; steps++) {
      const model = new MigrationModel();
      model.walk(steps);
      model.change({ order: 'rollback' });
      model.walk();
      expectMigrated(model);
    }
  });

  test('comes before a deletion', () => {
    const model = new MigrationModel();
    model.walk(3);
    model.change({ order: 'rollback', isDying: true });
    expect(model.walk()).toEqual([
      'hand-back',
      STATES.valid,
      'end-order',
      'delete-clone',
      'release',
      'let-go',
      'let-go',
    ]);
    expect(model.virtualIp).toBeUndefined();
  });
});

describe('what is refused before anything is changed', () => {
  const refused = (put: (model: MigrationModel) => void) => {
    const model = new MigrationModel();
    put(model);
    const steps = model.walk();
    expect([model.clone, model.holder.kind === 'service']).toEqual(['stored', false]);
    const { state, condition } = model.virtualIp ?? {};
    return [steps.length, state, condition?.reason];
  };

  test.each<readonly [string, Partial<MigrationModel>, readonly [string, string]]>([
    ['W29 VIP-T62 another VirtualIP of the Service', { rival: 'w' }, [STATES.error, 'ServiceShared']],
    ['VIP-T59 no group', { group: undefined }, [STATES.error, 'NoIPGroup']],
    ['what the cluster refuses', { obstacle: 'quota' }, [STATES.error, 'ServiceUnfit']],
    [
      'VIP-T61 a load balancer',
      { service: { ...PLAIN, isLoadBalancer: true } },
      [STATES.preparing, 'ServiceIsLoadBalancer'],
    ],
    ['an address of another', { holder: { kind: 'other', name: 'x' } }, [STATES.error, 'AddressInUse']],
  ])('%s', (_what, facts, [state, reason]) => {
    expect(refused((model) => Object.assign(model, facts))).toEqual([2, state, reason]);
  });

  test('a dry run tells it, and changes nothing either', () => {
    const model = new MigrationModel({ order: 'dry-run' });
    model.rival = 'w';
    expect(model.walk()).toEqual([STATES.valid]);
    expect(model.virtualIp?.message).toMatch(/^dry run: it would not begin: VirtualIP test\/w exposes/u);
  });
});

test('W27 migrates what the older operator called migrated, and W32 says so of a backup without its status', () => {
  const called = new MigrationModel({ state: STATES.migrated });
  called.walk();
  expectMigrated(called);
  const restored = new MigrationModel({ state: '', finalizers: [], isMarkedMigrated: true });
  expect(restored.walk()).toEqual([STATES.migrated]);
});
