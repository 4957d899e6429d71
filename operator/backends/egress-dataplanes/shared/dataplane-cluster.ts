import type { DataplaneKind } from '../../../contract/egress-dataplanes';
import type { ObjectFeed } from '../../../ports/object-feed';
import type { ObjectWriter } from '../../../ports/object-writer';
import type { Tools } from '../../../ports/tools';

/** A watch that its opener ends. */
export interface OwnedFeed extends ObjectFeed {
  /** Resolves when nothing is under way. */
  close(): Promise<void>;
}

/** Verbs of a driver on the objects of one kind. */
export type DataplaneWriter = Pick<ObjectWriter, 'read' | 'create' | 'patch' | 'delete'>;

/** The cluster as a driver works with it. */
export interface DataplaneCluster extends Pick<Tools, 'clock' | 'logger'> {
  /** Nodes with labels, annotations and addresses; shared. */
  readonly nodes: ObjectFeed;
  /** Namespaces with their labels; shared. */
  readonly namespaces: ObjectFeed;
  /** Tells whether a cloud attaches each address to the machine where the door places it, before the dataplane is told. */
  isAttaching(): boolean;
  /** Writes labels and annotations of Nodes. */
  readonly nodeWriter: Pick<ObjectWriter, 'patch'>;
  /** Opens a watch of all objects of a kind, which the caller ends. */
  watch(kind: DataplaneKind): OwnedFeed;
  /** Makes a writer of a kind. */
  writer(kind: DataplaneKind): DataplaneWriter;
}
