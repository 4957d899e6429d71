import type { Construct } from 'constructs';

import type { KindDeclaration } from '../../../operator/contract/crd-manifest';
import type { DoorRights } from '../access/door-rights';
import type { GuardedKind } from '../crds/crds';
import type { AlertRow } from '../monitoring/alert';
import type { PrometheusRuleProps } from '../monitoring/monitoring-props';
import type { Curve, Panel } from '../monitoring/panel';
import type { PodFolder } from '../process/pod-folders';
import type { PodPort, ProcessPart } from '../process/process-part';
import type { RelatedSystem } from '../process/servers';

/** Panels of the dashboard about one front door. */
interface DoorPanels {
  /** About the requests that it answers. */
  readonly requests: readonly Panel[];
  /** About the objects that it serves. */
  readonly objects: readonly Panel[];
  /** Curves of the panel about clusters; absent: none. */
  readonly clusters?: readonly Curve[];
}

/**
 * One front door, as the manifests of an installation have it. The operator's construct goes through the doors that are open and
 * knows none of them by its name. `P` are the props that the door reads.
 */
export interface DoorManifests<P> {
  readonly name: string;
  readonly isOpen: (props: P) => boolean;
  /** Kinds that are installed with it. */
  readonly kinds: (props: P) => readonly KindDeclaration<never>[];
  /** Those of the {@link kinds} whose objects only the operator writes; absent: none. */
  readonly guarded?: readonly GuardedKind[];
  /** Part of the process where the door is open; absent where it is that of the server alone, or none. */
  readonly process?: (props: P) => ProcessPart;
  /** Part of the process where the door is closed; absent where the operator keeps it closed by itself. */
  readonly closedProcess?: ProcessPart;
  /** Port that the Pods listen on, and that the NetworkPolicy lets in; absent where the door is not reached over the network. */
  readonly port?: PodPort;
  /**
   * Certificate of cert-manager that it needs: that of the webhooks, a CA for one of its own, or none, as where it listens nowhere.
   * Absent for a door that is only open beside others, which decide it.
   */
  readonly certificate?: (props: P) => 'webhooks' | 'ca' | 'none';
  /** Server that an open door calls, where there is one: its part of the process, and what the NetworkPolicy lets out. */
  readonly server?: (props: P) => RelatedSystem | undefined;
  /** Folder in which the Pod has the socket of the door; absent where it has none. */
  readonly socketFolder?: PodFolder;
  readonly rights: (props: P) => DoorRights;
  /** Declares further roles and bindings. */
  readonly roles: (scope: Construct, props: P) => readonly Construct[];
  /** Declares the objects by which it is reached. */
  readonly objects: (scope: Construct, props: P) => readonly Construct[];
  /** Declares webhooks and policies, which come behind everything else. */
  readonly admission: (scope: Construct, props: P) => readonly Construct[];
  /** In a group with the name of the door; those of a door with a server stand among those of related systems. */
  readonly alerts: (props: PrometheusRuleProps) => readonly AlertRow[];
  readonly panels: DoorPanels;
}
