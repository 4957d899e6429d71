import type { Address } from '../../../addressing/address';
import type { Claims } from '../../../ports/claims';
import type { EventRecorder } from '../../../ports/event-recorder';
import type { KnownClaims } from '../../../ports/known-claims';
import type { ObjectWriter } from '../../../ports/object-writer';
import type { Tools } from '../../../ports/tools';
import type { VirtualIpIndex } from './virtual-ip-index';

/** Parts of the migration of VirtualIPs. */
export interface MigrationParts extends Tools {
  readonly virtualIps: VirtualIpIndex;
  readonly claims: Pick<Claims, 'take'>;
  readonly known: Pick<KnownClaims, 'at' | 'find'>;
  readonly virtualIpWriter: Pick<ObjectWriter, 'read' | 'replace' | 'patchStatus'>;
  readonly serviceWriter: Pick<ObjectWriter, 'read' | 'replace' | 'delete'>;
  readonly ipWriter: Pick<ObjectWriter, 'read' | 'create' | 'replace' | 'delete'>;
  readonly events: EventRecorder;
  /** Finds the IPGroup of an address, an excluded one too; undefined where none has it. */
  readonly groupAt: (address: Address) => string | undefined;
  readonly settings: MigrationSettings;
}

/** Which Services come out of a migration. */
export interface MigrationSettings {
  /** Value of `spec.loadBalancerClass`; absent where Services without a class are served. */
  readonly loadBalancerClass?: string;
  /** Namespaces of which no Service is served. */
  readonly excludedNamespaces: readonly string[];
  /** Milliseconds for which an address stays on record for a VirtualIP that was found to be gone. */
  readonly orphanGraceMs: number;
}
