import type { Address } from '../../../addressing/address';
import type { VirtualIpView } from '../../../contract/kinds/virtual-ip';

/** The Service that a VirtualIP exposes, as it is stored. */
export interface ExposedService {
  readonly isLoadBalancer: boolean;
  readonly isDying: boolean;
  /** True where the status shows anything. */
  readonly hasIngress: boolean;
  readonly shown: readonly Address[];
  /** `spec.loadBalancerIP` is the address of the VirtualIP. */
  readonly isAddressRequested: boolean;
  /** Why it waits for its address, as its condition says. */
  readonly waitsFor?: string;
}

/** Holder of the address of a VirtualIP, by the record. */
export type AddressHolder =
  | { readonly kind: 'none' }
  | { readonly kind: 'virtual-ip' }
  /** The exposed Service. */
  | {
      readonly kind: 'service';
      readonly group: string;
      /** True where the record names the stored object by its UID. */
      readonly isBound: boolean;
      /** True where the record says that it is kept for this migration, whatever the type of the Service. */
      readonly isReserved: boolean;
    }
  | { readonly kind: 'other'; readonly name: string };

/** Everything that decides about one VirtualIP. */
export interface MigrationFacts {
  readonly virtualIp: VirtualIpView;
  /** Undefined where none of the name is stored. */
  readonly service: ExposedService | undefined;
  /** The copy of the Service that has the address now. */
  readonly clone: 'none' | 'stored' | 'dying';
  readonly holder: AddressHolder;
  /** IPGroup that has the address; undefined where none gives it. */
  readonly group: string | undefined;
  /** Another VirtualIP of the same Service that is migrated before. */
  readonly rival: string | undefined;
  /** Why the Service could not become one of type LoadBalancer of the VIPs door. */
  readonly obstacle: string | undefined;
}

/** Why a migration is where it is; reason of the condition `Migrated`. */
export type MigrationReason =
  | 'DryRun'
  | 'InProgress'
  | 'RolledBack'
  | 'Migrated'
  | 'AddressInvalid'
  | 'AddressInUse'
  | 'NoIPGroup'
  | 'ServiceNotFound'
  | 'ServiceShared'
  | 'ServiceUnfit'
  | 'ServiceIsLoadBalancer'
  | 'ServiceChangedBack';

/** Content of the status of a VirtualIP. */
export interface MigrationStatus {
  readonly state: string;
  readonly message: string;
  readonly reason: MigrationReason;
  /** State in which it goes on after an error; absent for every other state. */
  readonly resumeAt?: string;
}

/** One step, which is at most one write. After it everything is read anew. */
export type MigrationStep =
  | { readonly act: 'rest' }
  | { readonly act: 'say'; readonly status: MigrationStatus }
  /** Puts the finalizer on that holds the VirtualIP until the end. */
  | { readonly act: 'hold' }
  /** Takes one finalizer off. */
  | { readonly act: 'let-go'; readonly finalizer: string }
  /** Gives the record to the Service. */
  | { readonly act: 'hand-over'; readonly group: string }
  /** Gives the record back to the VirtualIP. */
  | { readonly act: 'hand-back' }
  | { readonly act: 'delete-clone' }
  /** Makes the Service one of type LoadBalancer. */
  | { readonly act: 'convert' }
  /** Takes `spec.loadBalancerIP` off, for which the user did not ask. */
  | { readonly act: 'clear-request' }
  /** Takes the finalizers off and marks the VirtualIP as migrated. */
  | { readonly act: 'finish' }
  /** Takes the order off. */
  | { readonly act: 'end-order' }
  /** Ends what the VirtualIP, or the Service for its sake, holds. */
  | { readonly act: 'release' };
