//! Where the nodes of a tree are drawn: the tidy layout of Buchheim, Jünger and Leipert ("Improving Walker's algorithm to run
//! in linear time", 2002).
//!
//! Every subtree is laid out on its own, then pushed against its siblings to the left until nothing is closer than 1. Extra
//! distance between two subtrees that are not neighbours is shared evenly by the gaps between them. A parent is centred over
//! its first and last child.
//!
//! The nodes come in breadth-first order, so a backward loop visits all children before their parent: no recursion, and
//! memory access is local. A node's position is relative to its parent until the last pass, so that moving a subtree means
//! moving its root. The owner of each part of the right contour is found on a stack of siblings, instead of the marks on
//! nodes in the paper.

/// The shape of a tree in breadth-first order: the root is node 0, the children of a node are consecutive, and every layer is
/// a contiguous range of nodes.
#[derive(Clone, Copy, Debug)]
pub struct TreeShape<'a> {
    /// The parent of each node; arbitrary for the root.
    pub parents: &'a [u32],
    /// The first child of each node; arbitrary where there is none.
    pub first_child: &'a [u32],
    /// The number of children of each node.
    pub children: &'a [u32],
}

/// The x of every node: neighbours in a layer are at least 1 apart, a parent is centred over its first and last child, and the
/// root is at 0. The same subtree is drawn the same everywhere, and the mirror image of a tree is the mirror image of its
/// drawing.
///
/// Time and memory are linear in the number of nodes, whatever the shape.
///
/// # Panics
///
/// When the slices differ in length. When the nodes are not in breadth-first order it may panic, or give places that mean
/// nothing.
pub fn layout(shape: &TreeShape<'_>) -> Vec<f64> {
    let nodes = shape.children.len();
    assert!(
        shape.parents.len() == nodes && shape.first_child.len() == nodes,
        "a shape tells three things of every node"
    );
    let mut tidy = TidyLayout {
        shape: *shape,
        x: vec![0.0; nodes],
        link: vec![0; nodes],
        threads: Vec::new(),
        right_contour: Vec::new(),
        shifts: Vec::new(),
    };
    for parent in (0..nodes).rev() {
        if shape.children[parent] > 0 {
            tidy.place_children(parent);
        }
    }
    let mut x = tidy.x;
    for node in 1..nodes {
        x[node] += x[shape.parents[node] as usize];
    }
    x
}

/// A layout that is being made.
struct TidyLayout<'a> {
    shape: TreeShape<'a>,
    /// The place of each node relative to its parent.
    x: Vec<f64>,
    /// Of an inner node whose children are placed: the number of layers below it. Of a leaf: 1 + the index of the thread that
    /// starts there, or 0.
    link: Vec<u32>,
    threads: Vec<ContourThread>,
    /// Of the children of one parent placed so far: those visible from the right, deepest first, hence by falling height
    /// from left to right.
    right_contour: Vec<ContourSibling>,
    /// Of the children of one parent: pending shifts of those between two others. Empty when there are none.
    shifts: Vec<SiblingShift>,
}

/// A thread: the continuation of a contour below a leaf, in another subtree.
#[derive(Clone, Copy)]
struct ContourThread {
    target: u32,
    /// The place of the target relative to the leaf.
    offset: f64,
}

/// A node on a contour, and its place relative to the parent whose children are being placed.
#[derive(Clone, Copy)]
struct ContourPoint {
    node: u32,
    x: f64,
}

/// A sibling that is seen from the right.
#[derive(Clone, Copy)]
struct ContourSibling {
    sibling: u32,
    height: u32,
    /// The end of its right contour, and the continuation of its left neighbour's below it; arbitrary for the deepest.
    end: ContourPoint,
    below: ContourPoint,
}

/// A shift of a sibling and of all to its left, each of which moves `change` less than its right neighbour.
#[derive(Clone, Copy, Default)]
struct SiblingShift {
    shift: f64,
    change: f64,
}

impl TidyLayout<'_> {
    /// Places the children of a node whose grandchildren are placed.
    fn place_children(&mut self, parent: usize) {
        let first = self.shape.first_child[parent];
        let count = self.shape.children[parent];
        let last = first + (count - 1);
        // Positions are not relative to this parent yet, so the first child may be at 0 until the middle is known.
        let mut height = self.height(first);
        if count > 1 {
            self.right_contour.clear();
            self.right_contour
                .push(ContourSibling::deepest(first, height));
            for child in first + 1..=last {
                height = self.place_child(first, child, last, height);
            }
            self.thread_right_contour();
            let middle = self.execute_shifts(first, last) / 2.0;
            for x in &mut self.x[first as usize..=last as usize] {
                *x -= middle;
            }
        }
        self.link[parent] = height + 1;
    }

    /// Places a child to the right of its siblings, of which the highest has `so_far` layers below it. Gives the number of
    /// layers that are below the siblings now.
    fn place_child(&mut self, first: u32, child: u32, last: u32, so_far: u32) -> u32 {
        let height = self.height(child);
        let before = child - 1;
        let mut x = self.x[before as usize] + 1.0;
        if height == 0
            && let Some(top) = self.right_contour.last_mut()
            && top.height == 0
        {
            // Most nodes of a search tree are leaves beside leaves. One hides the other.
            top.sibling = child;
            top.end = ContourPoint { node: child, x };
            self.x[child as usize] = x;
            return so_far;
        }
        // The two contours that face each other: the siblings' on the right, and the child's on the left.
        let mut theirs = ContourPoint {
            node: before,
            x: x - 1.0,
        };
        let mut ours = ContourPoint { node: child, x };
        // The contour whose end is needed, because the other side is deeper: the siblings' on the left, or the child's on
        // the right.
        let mut end = if height > so_far {
            ContourPoint {
                node: first,
                x: 0.0,
            }
        } else {
            ours
        };
        for depth in 1..=height.min(so_far) {
            theirs = self.next_right_of_siblings(theirs, depth);
            ours = self.next_left(ours);
            if height > so_far {
                end = self.next_left(end);
            } else if height < so_far {
                end = self.next_right(end);
            }
            let missing = theirs.x + 1.0 - ours.x;
            if missing > 0.0 {
                x += missing;
                ours.x += missing;
                if height < so_far {
                    end.x += missing;
                }
                let owner = self.rightmost_sibling().sibling;
                if child - owner > 1 {
                    self.add_shift(owner - first, child - first, last - first, missing);
                }
            }
        }
        self.x[child as usize] = x;
        if height < so_far {
            let below = self.next_right_of_siblings(theirs, height + 1);
            self.right_contour.push(ContourSibling {
                sibling: child,
                height,
                end,
                below,
            });
        } else {
            if height > so_far {
                let below = self.next_left(ours);
                self.set_thread(end, below);
            }
            self.right_contour.clear();
            self.right_contour
                .push(ContourSibling::deepest(child, height));
        }
        height.max(so_far)
    }

    /// The next node of the siblings' right contour, at this depth. Who ends above is behind the child being placed, and is
    /// forgotten.
    #[inline]
    fn next_right_of_siblings(&mut self, from: ContourPoint, depth: u32) -> ContourPoint {
        let top = *self.rightmost_sibling();
        if top.height >= depth {
            return self.next_right(from);
        }
        self.right_contour.pop();
        top.below
    }

    /// The rightmost sibling that reaches down to where the right contour is being followed.
    #[inline]
    fn rightmost_sibling(&self) -> &ContourSibling {
        self.right_contour
            .last()
            .expect("the deepest sibling hides behind none that is less deep")
    }

    /// Makes one contour of the pieces that are seen from the right.
    fn thread_right_contour(&mut self) {
        for index in 1..self.right_contour.len() {
            let ContourSibling { end, below, .. } = self.right_contour[index];
            self.set_thread(end, below);
        }
    }

    /// Records that the siblings between the two share the distance by which the left one pushed the right one. Siblings are
    /// counted from 0 to `last` here.
    fn add_shift(&mut self, left: u32, right: u32, last: u32, distance: f64) {
        if self.shifts.is_empty() {
            self.shifts
                .resize(last as usize + 1, SiblingShift::default());
        }
        let slope = distance / f64::from(right - left);
        let from = &mut self.shifts[right as usize];
        from.shift += distance;
        from.change += slope;
        self.shifts[left as usize].change -= slope;
    }

    /// Moves the siblings that are to spread out. Gives the distance from the first to the last.
    fn execute_shifts(&mut self, first: u32, last: u32) -> f64 {
        // None of them moves one that is seen from the left or from the right, and so the contours stay as they are.
        let siblings = &mut self.x[first as usize..=last as usize];
        let (mut distance, mut slope) = (0.0, 0.0);
        for (x, spread) in siblings.iter_mut().zip(&self.shifts).rev() {
            *x += distance;
            slope += spread.change;
            distance += spread.shift - slope;
        }
        self.shifts.clear();
        siblings[siblings.len() - 1] - siblings[0]
    }

    /// The number of layers below a node whose children are placed.
    #[inline]
    fn height(&self, node: u32) -> u32 {
        if self.shape.children[node as usize] == 0 {
            0
        } else {
            self.link[node as usize]
        }
    }

    /// The next node of a left contour; there must be one.
    #[inline]
    fn next_left(&self, from: ContourPoint) -> ContourPoint {
        match self.shape.children[from.node as usize] {
            0 => self.follow_thread(from),
            _ => self.child(from, self.shape.first_child[from.node as usize]),
        }
    }

    /// The next node of a right contour; there must be one.
    #[inline]
    fn next_right(&self, from: ContourPoint) -> ContourPoint {
        match self.shape.children[from.node as usize] {
            0 => self.follow_thread(from),
            count => self.child(
                from,
                self.shape.first_child[from.node as usize] + (count - 1),
            ),
        }
    }

    #[inline]
    fn child(&self, of: ContourPoint, node: u32) -> ContourPoint {
        ContourPoint {
            node,
            x: of.x + self.x[node as usize],
        }
    }

    #[inline]
    fn follow_thread(&self, from: ContourPoint) -> ContourPoint {
        let thread = self.threads[self.link[from.node as usize] as usize - 1];
        ContourPoint {
            node: thread.target,
            x: from.x + thread.offset,
        }
    }

    /// Lets a contour that ends at a leaf go on elsewhere.
    fn set_thread(&mut self, leaf: ContourPoint, below: ContourPoint) {
        self.threads.push(ContourThread {
            target: below.node,
            offset: below.x - leaf.x,
        });
        self.link[leaf.node as usize] = self.threads.len() as u32;
    }
}

impl ContourSibling {
    /// The deepest sibling, which none is below.
    fn deepest(sibling: u32, height: u32) -> Self {
        let nowhere = ContourPoint { node: 0, x: 0.0 };
        Self {
            sibling,
            height,
            end: nowhere,
            below: nowhere,
        }
    }
}
