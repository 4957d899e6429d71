import type { Construct } from 'constructs';

import type { KindDeclaration } from '../../../operator/contract/crd-manifest';
import type { DoorRights } from '../access/door-rights';
import type { AlertRow } from '../monitoring/alert';
import type { Panel } from '../monitoring/panel';
import type { PodPort, ProcessPart } from '../process/process-part';

/** Panels of the dashboard about one front door. */
interface DoorPanels {
  /** About the requests that it answers. */
  readonly requests: readonly Panel[];
  /** About the objects that it serves. */
  readonly objects: readonly Panel[];
}

/**
 * One front door, as the manifests of an installation have it. The operator's construct goes through the doors that are open and
 * knows none of them by its name. `P` are the props that the door reads.
 */
export interface DoorManifests<P> {
  readonly name: string;
  readonly isOpen: (props: P) => boolean;
  /** Kinds that are installed with it. */
  readonly kinds: readonly KindDeclaration<never>[];
  readonly process: (props: P) => ProcessPart;
  /** Part of the process where the door is closed; absent where the operator keeps it closed by itself. */
  readonly closedProcess?: ProcessPart;
  /** Port that the Pods listen on, and that the NetworkPolicy lets in; absent for a door without callers. */
  readonly port?: PodPort;
  /** Certificate of cert-manager that it needs: that of the webhooks, a CA for one of its own, or none. */
  readonly certificate: (props: P) => 'webhooks' | 'ca' | 'none';
  readonly rights: (props: P) => DoorRights;
  /** Declares further roles and bindings. */
  readonly roles: (scope: Construct, props: P) => readonly Construct[];
  /** Declares the objects by which it is reached. */
  readonly objects: (scope: Construct, props: P) => readonly Construct[];
  /** Declares webhooks and policies, which come behind everything else. */
  readonly admission: (scope: Construct, props: P) => readonly Construct[];
  readonly alerts: readonly AlertRow[];
  readonly panels: DoorPanels;
}
