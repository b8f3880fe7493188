//! The depths that a deepening search has completed, as the sidecar of its tree lists them.

pub use canopy_engine::tree::meta::DepthMeta;

/// The part of the nodes that cut-offs saved at a depth, from 0 to 1; none if minimax's nodes were not counted.
pub fn saved_share(depth: &DepthMeta) -> Option<f64> {
    let full = depth.full_nodes.filter(|&full| full > 0)?;
    Some((1.0 - depth.nodes as f64 / full as f64).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn savings_are_computed_where_all_nodes_were_counted() {
        let depth = |full_nodes: Option<u64>| DepthMeta {
            nodes: 75,
            full_nodes,
            ..DepthMeta::default()
        };
        // 1 - 75 / 173 = 0.5665.
        let saved = saved_share(&depth(Some(173))).map(|saved| (saved * 1000.0).round());
        assert_eq!(saved, Some(566.0));
        assert_eq!(saved_share(&depth(Some(70))), Some(0.0));
        assert_eq!(saved_share(&depth(None)), None);
    }
}
