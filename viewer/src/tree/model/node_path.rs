//! Nodes that are found again in a tree that has grown, by the moves that lead to them.

use std::sync::Arc;

use canopy_engine::tree::Tree;

use super::TreeModel;

/// A step from a node to a child: the move, and which of the children with that move, counted from 0.
pub type ChildStep = (String, u32);

/// The steps from the root to a row, so that it is found again in a tree that has grown; `sizes` are the tree's.
pub fn path_to(tree: &Tree, sizes: &[u32], row: usize) -> Vec<ChildStep> {
    let mut steps = Vec::new();
    let mut at = row;
    while at != 0 {
        let parent = tree.nodes()[at].parent as usize;
        let name = tree.move_name(at);
        let same = (tree.children(parent, sizes))
            .take_while(|&child| child < at)
            .filter(|&child| tree.move_name(child) == name);
        steps.push((name.to_owned(), same.count() as u32));
        at = parent;
    }
    steps.reverse();
    steps
}

/// The row that steps lead to, `sizes` being the tree's.
pub fn find_path(tree: &Tree, sizes: &[u32], steps: &[ChildStep]) -> Option<usize> {
    steps.iter().try_fold(0, |row, (name, number)| {
        (tree.children(row, sizes))
            .filter(|&child| tree.move_name(child) == name)
            .nth(*number as usize)
    })
}

/// Finds nodes of one state of a tree in another.
pub struct NodeFinder<'a> {
    before: Option<&'a TreeModel>,
    now: &'a TreeModel,
    /// The sizes of both trees, if they are not one.
    sizes: Option<(Vec<u32>, Vec<u32>)>,
}

impl<'a> NodeFinder<'a> {
    /// From one state, if there is one, to another.
    pub fn new(before: Option<&'a TreeModel>, now: &'a TreeModel) -> Self {
        let other = before.filter(|before| !Arc::ptr_eq(&before.tree, &now.tree));
        Self {
            before,
            now,
            sizes: other.map(|before| (before.tree.subtree_sizes(), now.tree.subtree_sizes())),
        }
    }

    /// The node that the same moves lead to.
    pub fn find(&self, node: usize) -> Option<usize> {
        let before = self.before.filter(|before| node < before.len())?;
        let row = match &self.sizes {
            None => before.row(node),
            Some((sizes, now)) => {
                let steps = path_to(&before.tree, sizes, before.row(node));
                find_path(&self.now.tree, now, &steps)?
            }
        };
        self.now.find_row(row as u32)
    }
}
