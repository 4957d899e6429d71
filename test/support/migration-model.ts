import { addressOf } from '../../operator/addressing/address';
import { VIRTUAL_IP_STATES as STATES, type VirtualIpView } from '../../operator/contract/kinds/virtual-ip';
import { VIRTUAL_IP_FINALIZERS as FINALIZERS } from '../../operator/contract/paas';
import { nextStep } from '../../operator/rules/vips/migration/next-step';
import type {
  AddressHolder,
  ExposedService,
  MigrationFacts,
  MigrationStatus,
  MigrationStep,
} from '../../operator/rules/vips/migration/types';

/** Address of the one VirtualIP of the model. */
export const ADDRESS = addressOf('1.1.1.3');
const GROUP = 'ipgroup-1';

/** A VirtualIP as the older operator left it. */
const VALID: VirtualIpView = {
  namespace: 'test',
  name: 'v',
  uid: 'v-uid',
  createdAt: '2022-07-01T00:00:00Z',
  isDying: false,
  finalizers: Object.values(FINALIZERS),
  order: 'migrate',
  isMarkedMigrated: false,
  isAddressWished: false,
  service: 's',
  address: ADDRESS,
  clone: 'v-keepalived-clone',
  segmentMapping: 'keepalived-1',
  state: STATES.valid,
  message: '',
  resumeAt: '',
  condition: undefined,
};

/** A Service of type ClusterIP. */
export const PLAIN: ExposedService = {
  isLoadBalancer: false,
  isDying: false,
  hasIngress: false,
  shown: [],
  isAddressRequested: false,
};

/** A cluster with one VirtualIP, in which steps are carried out. */
export class MigrationModel {
  virtualIp: VirtualIpView | undefined;
  service: ExposedService | undefined = PLAIN;
  clone: MigrationFacts['clone'] = 'stored';
  holder: AddressHolder = { kind: 'virtual-ip' };
  group: string | undefined = GROUP;
  rival: string | undefined;
  obstacle: string | undefined;

  constructor(more: Partial<VirtualIpView> = {}) {
    this.virtualIp = { ...VALID, ...more };
  }

  /** Facts as they are; undefined once the VirtualIP is gone. */
  facts(): MigrationFacts | undefined {
    const { virtualIp, service, clone, holder, group, rival, obstacle } = this;
    return virtualIp && { virtualIp, service, clone, holder, group, rival, obstacle };
  }

  change(more: Partial<VirtualIpView>): void {
    if (this.virtualIp !== undefined) this.virtualIp = { ...this.virtualIp, ...more };
  }

  /** Takes steps until nothing is left to do, or so many were taken; tells them. */
  walk(most = 40): readonly string[] {
    const taken: string[] = [];
    while (taken.length < most) {
      const facts = this.facts();
      const step = facts === undefined ? undefined : nextStep(facts);
      if (step === undefined || step.act === 'rest') return taken;
      taken.push(step.act === 'say' ? step.status.state : step.act);
      this.apply(step);
      this.#serve();
    }
    return taken;
  }

  apply(step: Exclude<MigrationStep, { readonly act: 'rest' }>): void {
    if (step.act === 'say') this.change(said(step.status));
    else if (step.act === 'let-go') this.#letGo(this.#finalizers().filter((each) => each !== step.finalizer));
    else if (step.act === 'hand-over')
      this.holder = { kind: 'service', group: step.group, isBound: true, isReserved: true };
    else this.#simple[step.act]();
  }

  readonly #simple: Readonly<
    Record<Exclude<MigrationStep['act'], 'rest' | 'say' | 'let-go' | 'hand-over'>, () => void>
  > = {
    hold: () => {
      this.change({ finalizers: [...this.#finalizers(), FINALIZERS.service] });
    },
    finish: () => {
      this.change({ isMarkedMigrated: true });
      this.#letGo([]);
    },
    'end-order': () => {
      this.change({ order: 'none' });
    },
    'hand-back': () => {
      this.holder = { kind: 'virtual-ip' };
    },
    release: () => {
      this.holder = { kind: 'none' };
    },
    'delete-clone': () => {
      this.clone = 'none';
    },
    convert: () => {
      this.service = { ...PLAIN, isLoadBalancer: true, isAddressRequested: true };
    },
    'clear-request': () => {
      if (this.service !== undefined) this.service = { ...this.service, isAddressRequested: false };
    },
  };

  #finalizers(): readonly string[] {
    return this.virtualIp?.finalizers ?? [];
  }

  #letGo(finalizers: readonly string[]): void {
    this.change({ finalizers });
    if (this.virtualIp?.isDying === true && finalizers.length === 0) this.virtualIp = undefined;
  }

  // the VIPs door serves a load balancer that has the address on record
  #serve(): void {
    const { service, holder } = this;
    if (service?.isLoadBalancer !== true || holder.kind !== 'service' || !holder.isBound) return;
    this.holder = { ...holder, isReserved: false };
    this.service = { ...service, hasIngress: true, shown: [ADDRESS] };
  }
}

function said({ state, message, reason, resumeAt = '' }: MigrationStatus): Partial<VirtualIpView> {
  return { state, message, resumeAt, condition: { status: 'False', reason, since: '' } };
}
