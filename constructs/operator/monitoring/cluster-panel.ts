import type { Curve, Panel } from './panel';
import { BUILDS, CLUSTERS_SILENT, IDENTITY_SHARED, IDENTITY_SILENT } from './promql';

/**
 * Draws the panel about clusters that use the record.
 *
 * @param curves - of what else tells of clusters
 * @returns the panel; a curve stays empty where nothing tells of it
 */
export const clusterPanel = (curves: readonly Curve[]): Panel => ({
  title: 'Clusters that are silent, gone or doubled, and versions',
  description:
    'Without a complete report for a quarter of an hour, events that name clusters which are gone, and whether another cluster goes by the identity of this one, or did; versions of the operator that run',
  type: 'timeseries',
  unit: 'short',
  width: 12,
  queries: [
    { expr: CLUSTERS_SILENT, legend: 'silent' },
    { expr: IDENTITY_SHARED, legend: 'identity shared' },
    { expr: IDENTITY_SILENT, legend: 'identity of a silent cluster' },
    { expr: BUILDS, legend: 'version {{version}}' },
    ...curves,
  ],
});
